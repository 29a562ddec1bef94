import { expect, expectAccessibleInLightAndDark, test } from "./fixtures.ts"
import { createQuietWork } from "./inbox-verbs.ts"
import { changeAccess, signInAs } from "./people-verbs.ts"
import { addApproval } from "./revise.ts"

test.use({ deskOptions: { people: true } })

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
  const section = page.getByRole("region", { name: "Away" })
  const save = section.getByRole("button", { name: "Save" })
  await expect(save).toBeDisabled()
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16)
  await section.getByLabel("Until").fill(inDays(92))
  await expect(section).toContainText("Choose a time at most 90 days after the beginning.")
  const until = inDays(3)
  await section.getByLabel("Until").fill(until)
  await section.getByRole("combobox", { name: "Stand-in" }).selectOption("Ben Okafor")
  await save.click()
  await expect(section).toContainText("Saved")
  const weekday = await page.evaluate(
    (end) => new Intl.DateTimeFormat("en", { weekday: "long" }).format(new Date(end)),
    until,
  )
  const banner = page.getByRole("status").filter({ hasText: `You are marked as away until ${weekday}. End it?` })
  await expect(banner).toBeVisible()
  await expectAccessibleInLightAndDark(page)

  await other.getByRole("button", { name: "Mine", exact: true }).click()
  // The role of the access file is read again within ten seconds.
  await other.getByRole("main").getByRole("link", { name: "The payroll" }).click({ timeout: 20_000 })
  const card = other.getByRole("article")
  await expect(card).toContainText(`Ada Lovelace is away until ${weekday}; Ben Okafor stands in`)
  await other.getByRole("button", { name: "Hand to", exact: true }).click()
  await expect(other.getByRole("option", { name: `Ada Lovelace, away until ${weekday}` })).toBeAttached()
  await other.getByRole("button", { name: "Cancel" }).click()

  await page.goto("/work")
  await banner.getByRole("button", { name: "End it" }).click()
  await expect(banner).toHaveCount(0)
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeFocused()
  await expect(card).not.toContainText("is away")
})
