import { createWork, expect, expectAccessible, test } from "./fixtures.ts"

test("a Work that is taken away while its page is open says so, keeps what was typed, and is not asked for again", async ({
  page,
  relay,
  desk,
}) => {
  await page.clock.install()
  const { id } = await createWork(desk, { colleague_id: "editor", title: "Soon concealed" })
  await page.goto(`/work/${id}`)
  await page.getByRole("textbox", { name: "Your answer" }).fill("Half an answer")
  relay.fail("GET", new RegExp(`/work/${id}($|/)`), { kind: "refuse", status: 404, code: "NOT_FOUND" })
  await page.clock.fastForward(60_000)
  await expect(page.getByRole("heading", { level: 1, name: "You cannot see this Work any more" })).toBeVisible()
  await expect(page.getByText("Half an answer")).toBeVisible()
  await expect(page.getByText("Soon concealed")).toHaveCount(0)
  await expectAccessible(page)
  const asked: string[] = []
  page.on("request", (request) => asked.push(request.url()))
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")))
  await page.clock.fastForward(120_000)
  await page.waitForRequest(/\/desk\/waiting/)
  expect(asked.filter((url) => url.includes(id))).toEqual([])
  await page.getByRole("main").getByRole("link", { name: "Go to Work" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
})
