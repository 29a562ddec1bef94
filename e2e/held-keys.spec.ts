import { expect, test } from "./fixtures.ts"
import { createQuietWork } from "./inbox-verbs.ts"
import { signInAs } from "./people-verbs.ts"
import { addApproval } from "./revise.ts"

test.use({ deskOptions: { people: true } })

const ROWS = 50

test("a held J moves through 50 rows at once, and only the row where it ends is read, reported and named in the address", async ({
  page,
  desk,
}) => {
  const asked: string[] = []
  page.on("request", (request) => {
    const { pathname } = new URL(request.url())
    if (/^\/api\/|^\/desk\/(context|presence|aside)/.test(pathname)) asked.push(`${request.method()} ${pathname}`)
  })
  const lastWork = await createQuietWork(desk, "The last Work")
  const work = await createQuietWork(desk)
  for (let row = 1; row < ROWS; row++) addApproval(desk, work.id, { summary: `Request number ${row} of many` })
  addApproval(desk, lastWork.id, { summary: "The last request" })
  await page.addInitScript(() => {
    for (const name of ["pushState", "replaceState"] as const) {
      const change = history[name].bind(history)
      history[name] = (...parameters) => {
        document.documentElement.dataset["changes"] = String(
          Number(document.documentElement.dataset["changes"] ?? 0) + 1,
        )
        change(...parameters)
      }
    }
  })
  const changes = () => page.evaluate(() => Number(document.documentElement.dataset["changes"] ?? 0))
  await page.clock.install()
  await signInAs(page, "Ada Lovelace", "/approvals")
  const rows = page.getByRole("main").getByRole("link", { name: /request/i })
  await expect(rows).toHaveCount(ROWS)
  // The marks of the visible rows are there.
  await expect(page.getByText("2 of 2 checked")).toBeVisible()
  await expect(rows.first()).toContainText("New destination")
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000))
  const changedBefore = await changes()
  asked.length = 0

  for (let row = 1; row <= ROWS; row++) await page.keyboard.down("j")
  await page.keyboard.up("j")
  await expect(rows.last()).toBeFocused()
  await expect(rows.last()).toHaveAttribute("aria-current", "true")
  await expect(page.getByRole("article").getByRole("heading", { name: "The last request" })).toBeVisible()
  expect(asked).toEqual([])
  expect(await changes()).toBe(changedBefore)
  expect(page.url()).not.toContain("item=")

  await page.clock.resume()
  await expect(page).toHaveURL(new RegExp(`item=.*${lastWork.id}|${lastWork.id}.*item=`))
  expect(await changes()).toBe(changedBefore + 1)
  await expect(page.getByRole("link", { name: "The last Work" }).first()).toBeVisible()
  await expect.poll(() => asked).toContain("POST /desk/presence")
  await expect.poll(() => asked).toContain(`GET /api/v1/work/${lastWork.id}/approvals`)
  expect(asked.filter((each) => each.includes(work.id))).toEqual([])
  expect(asked.filter((each) => each.endsWith("/presence"))).toHaveLength(1)
})

test("a link that is followed before the keys rest is not taken back", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  for (const name of ["first", "second", "third"]) addApproval(desk, work.id, { summary: `The ${name} request` })
  await page.clock.install()
  await signInAs(page, "Ada Lovelace", "/approvals")
  const row = (name: string) => page.getByRole("main").getByRole("link", { name: `The ${name} request` })
  await expect(row("third")).toBeVisible()
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000))
  await page.keyboard.press("j")
  await page.keyboard.press("j")
  await expect(row("second")).toHaveAttribute("aria-current", "true")
  await row("third").click()
  await page.clock.runFor(1_000)
  await expect(row("third")).toHaveAttribute("aria-current", "true")
  await page.keyboard.press("k")
  await expect(row("second")).toHaveAttribute("aria-current", "true")
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Work", exact: true }).click()
  await page.clock.runFor(1_000)
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
  await expect(page).toHaveURL(/\/work$/)
})

test("a key that comes while the address follows the keys before it is not lost", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  for (const name of ["first", "second", "third"]) addApproval(desk, work.id, { summary: `The ${name} request` })
  // The next J is pressed as soon as the address has changed, before anything is drawn for it.
  await page.addInitScript(() => {
    const change = history.pushState.bind(history)
    history.pushState = (...parameters) => {
      change(...parameters)
      queueMicrotask(() => {
        document.activeElement?.dispatchEvent(
          new KeyboardEvent("keydown", { key: "j", bubbles: true, cancelable: true }),
        )
      })
    }
  })
  await signInAs(page, "Ada Lovelace", "/approvals")
  await expect(page.getByRole("main").getByRole("link", { name: /request/ })).toHaveCount(3)
  await page.keyboard.press("j")
  await expect(page).toHaveURL(/item=/)
  await expect(page.getByRole("article").getByRole("heading", { level: 2 })).toHaveText("The second request")
})
