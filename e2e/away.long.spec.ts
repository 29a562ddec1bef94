import type { Page } from "@playwright/test"
import { expect, expectAccessibleInLightAndDark, test } from "./fixtures.ts"
import { openFilters } from "./filter-verbs.ts"
import { createQuietWork } from "./inbox-verbs.ts"
import { changeAccess, signInAs } from "./people-verbs.ts"
import { addApproval } from "./revise.ts"

test.use({ deskOptions: { people: true } })

const section = (page: Page) => page.getByRole("region", { name: "Away" })
const save = (page: Page) => section(page).getByRole("button", { name: "Save" })
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16)

test("who goes away names a stand-in, whose list has what is given to them, and every page asks whether it shall end", async ({
  page,
  browser,
  desk,
}) => {
  await changeAccess(desk, () => ({ roles: { reader: ["anyone"], approver: ["anyone"] }, rules: [] }))
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "The payroll" })
  const other = await (await browser.newContext({ baseURL: desk.url })).newPage()
  await signInAs(other, "Ben Okafor", "/approvals")
  await signInAs(page, "Ada Lovelace", "/approvals")
  await page.getByRole("main").getByRole("link", { name: "The payroll" }).click()
  await page.getByRole("button", { name: "Take it" }).click()
  await expect(page.getByRole("article")).toContainText("Taken by Ada Lovelace")

  await page.goto("/notices")
  await expect(save(page)).toBeDisabled()
  await section(page).getByLabel("Until").fill(inDays(92))
  await expect(section(page)).toContainText("Choose a time within 90 days of the start.")
  const until = inDays(3)
  await section(page).getByLabel("Until").fill(until)
  await section(page).getByRole("combobox", { name: "Stand-in" }).selectOption("Ben Okafor")
  await save(page).click()
  await expect(section(page)).toContainText("Saved")
  const weekday = await page.evaluate(
    (end) => new Intl.DateTimeFormat("en", { weekday: "long" }).format(new Date(end)),
    until,
  )
  const banner = page.getByRole("status").filter({ hasText: `You are marked as away until ${weekday}` })
  await expect(banner).toBeVisible()
  await expectAccessibleInLightAndDark(page)

  await (await openFilters(other)).getByRole("button", { name: "Mine", exact: true }).click()
  // The role of the access file is read again within ten seconds.
  await other.getByRole("main").getByRole("link", { name: "The payroll" }).click({ timeout: 20_000 })
  const card = other.getByRole("article")
  const standsIn = `Ada Lovelace is away until ${weekday}; Ben Okafor stands in`
  await expect(card).toContainText(standsIn)
  const row = other.getByRole("list", { name: "Approvals" }).getByRole("listitem")
  await expect(row.filter({ hasText: standsIn })).toBeVisible()
  await other.getByRole("button", { name: "Hand to", exact: true }).click()
  await expect(other.getByRole("option", { name: `Ada Lovelace, away until ${weekday}` })).toBeAttached()
  await other.getByRole("button", { name: "Cancel" }).click()

  await page.goto("/work")
  await banner.getByRole("button", { name: "End it" }).click()
  await expect(banner).toHaveCount(0)
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeFocused()
  await expect(card).not.toContainText("is away")

  await page.goto("/notices")
  await section(page).getByLabel("Until").fill(until)
  await save(page).click()
  await expect(section(page)).toContainText("Saved")
  const end = section(page).getByRole("button", { name: "End the absence" })
  // It is about the absence that was just saved, so it acts half a second later.
  await expect(end).toBeEnabled()
  await end.focus()
  await page.keyboard.press("Enter")
  await expect(banner).toHaveCount(0)
  await expect(section(page)).toContainText("Ended")
  await expect(section(page).getByRole("button", { name: "End the absence" })).toBeFocused()
})

test("an overseer says for somebody that they are away, and who has not read that changes nothing unseen", async ({
  page,
  browser,
  desk,
}) => {
  await changeAccess(desk, () => ({
    roles: { reader: ["anyone"], approver: ["anyone"] },
    rules: [],
    visibility: { overseers: ["subject:dora"] },
  }))
  await signInAs(page, "Ben Okafor", "/notices")
  const until = inDays(5)
  await section(page).getByLabel("Until").fill(until)
  const dora = await (await browser.newContext({ baseURL: desk.url })).newPage()
  await expect(async () => {
    await signInAs(dora, "Dora Lind", "/notices")
    await section(dora).getByRole("combobox", { name: "Who is away" }).selectOption("Ben Okafor", { timeout: 1_000 })
  }).toPass()
  await expect(section(dora)).toContainText("While they are away")
  await section(dora).getByLabel("Until").fill(inDays(3))
  await save(dora).click()
  await expect(section(dora)).toContainText("Saved")
  await expect(dora.getByText("You're away")).toHaveCount(0)
  await expectAccessibleInLightAndDark(dora)

  await expect(section(page).getByRole("combobox", { name: "Who is away" })).toHaveCount(0)
  await save(page).click()
  const refused = section(page).getByRole("alert")
  await expect(refused).toContainText("The absence has changed")
  await expect(refused).toContainText(
    /The absence was changed elsewhere\. It now runs from .* until .*\. What you chose is kept\. Check it, then save/,
  )
  await expect(page.getByText("You are marked as away until")).toBeVisible()
  await expect(section(page).getByLabel("Until")).toHaveValue(until)
  await save(page).click()
  await expect(section(page)).toContainText("Saved")
  await expect(refused).toHaveCount(0)

  await page.goto("/record?operation=setAway")
  const entry = page.getByRole("main").getByRole("listitem").filter({ hasText: "Dora Lind" })
  await expect(entry).toContainText(/Dora Lind\s*set an absence for\s*Ben Okafor/)
})

/** The last Sunday of a month of next year, when the clocks of Madrid change: `YYYY-MM-DD`. */
function changeOfClocks(month: number): string {
  const last = new Date(Date.UTC(new Date().getFullYear() + 1, month, 0))
  last.setUTCDate(last.getUTCDate() - last.getUTCDay())
  return last.toISOString().slice(0, 10)
}

test("the ends of an absence keep their moments in the hours that the browser's clock skips and repeats", async ({
  page,
  desk,
}) => {
  await changeAccess(desk, () => ({ roles: { reader: ["anyone"] }, rules: [] }))
  await signInAs(page, "Ben Okafor", "/notices")
  const [skipped, repeated] = [changeOfClocks(3), changeOfClocks(10)]
  const read = async () => {
    const answer = await page.request.get("/desk/away")
    return { etag: answer.headers()["etag"] ?? "", away: (await answer.json()) as { from: string; until: string } }
  }
  await section(page).getByLabel("From").fill(`${skipped}T01:59`)
  await section(page).getByLabel("Until").fill(`${skipped}T02:30`)
  await save(page).click()
  await expect(section(page)).toContainText("Saved")
  const from = `${skipped}T00:59:00.000Z`
  expect((await read()).away).toMatchObject({ from, until: `${skipped}T01:30:00.000Z` })
  await expect(section(page).getByLabel("Until")).toHaveValue(`${skipped}T03:30`)

  // 02:15 of summer time, and 02:30 of winter time.
  const away = { from: `${repeated}T00:15:00.000Z`, until: `${repeated}T01:30:20.000Z`, stand_in: null }
  const headers = { "if-match": (await read()).etag, "desk-person": await personOf(page) }
  expect((await page.request.put("/desk/away", { headers, data: away })).status()).toBe(200)
  await page.reload()
  await expect(section(page).getByLabel("From")).toHaveValue(`${repeated}T02:15`)
  await expect(section(page).getByLabel("Until")).toHaveValue(`${repeated}T02:30`)
  await save(page).click()
  await expect(section(page)).toContainText("Saved")
  expect((await read()).away).toMatchObject(away)
})

async function personOf(page: Page): Promise<string> {
  const session = (await (await page.request.get("/desk/session")).json()) as { person: { id: string } }
  return session.person.id
}
