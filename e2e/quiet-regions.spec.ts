import { expect, test } from "./fixtures.ts"
import { createQuietWork } from "./inbox-verbs.ts"
import { changeAccess, signInAs } from "./people-verbs.ts"
import { addApproval } from "./revise.ts"

test.use({ deskOptions: { people: true } })

test("no time that passes interrupts a screen reader, and new items of an inbox are announced", async ({
  page,
  desk,
}) => {
  await changeAccess(desk, (access) => ({ ...access, visibility: { overseers: ["anyone"] } }))
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "The first request" })
  addApproval(desk, (await createQuietWork(desk, "Another Work")).id, { summary: "The second request" })
  await page.clock.install()
  await signInAs(page, "Ada Lovelace", "/approvals?group=work")
  await expect(async () => {
    const { person } = await (await page.request.get("/desk/session")).json()
    const headers = { "Desk-Person": person.id }
    const data = { colleague: null, reason: "It sends letters in a loop" }
    expect((await page.request.put("/desk/freeze", { data, headers })).status()).toBeLessThan(300)
  }).toPass({ timeout: 20_000 })
  // The page may have read the session before the desk read the new access file.
  await page.reload()
  await expect(page.getByRole("alert").getByText("It sends letters in a loop")).toBeVisible()
  await expect(page.getByRole("alert").getByRole("button", { name: "End the freeze" })).toBeVisible()

  await page.evaluate(() => {
    const region = "[role=alert], [role=status], [role=log], [role=timer], output, [aria-live]"
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const element = target instanceof Element ? target : target.parentElement
        const live = element?.closest(region)
        const isOff = live?.getAttribute("aria-live") === "off" || live?.getAttribute("role") === "timer"
        if (live && !isOff)
          document.body.dataset["heard"] = `${document.body.dataset["heard"] ?? ""}${element?.outerHTML}`
      }
    }).observe(document.body, { characterData: true, childList: true, subtree: true })
  })
  const passed = page.getByRole("main").getByText(/3 min ago/)
  await page.clock.fastForward(185_000)
  await expect(passed.first()).toBeVisible()
  expect(await page.evaluate(() => document.body.dataset["heard"])).toBeUndefined()

  const region = page.locator("[aria-live=polite]", { has: page.getByRole("button", { name: "1 new" }) })
  const before = await page.locator("main [aria-live=polite]").evaluateAll((all) => {
    for (const each of all) each.setAttribute("data-before", "")
    return all.length
  })
  expect(before).toBeGreaterThan(0)
  await page.getByRole("heading", { level: 1 }).click()
  addApproval(desk, work.id, { summary: "The third request" })
  await expect(region).toHaveAttribute("data-before", "")
})
