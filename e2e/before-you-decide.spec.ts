import type { Page } from "@playwright/test"
import { expect, expectAccessible, test } from "./fixtures.ts"
import { createQuietWork, decide } from "./inbox-verbs.ts"
import { addApproval, revise } from "./revise.ts"

const KNOWN = "payments@halden.example"
const LOOK_ALIKE = "p\u0430yments@halden.example"
const LETTER = {
  destination: KNOWN,
  subject: "October",
  body: "Dear Ms Oyelaran,\n\nthe first line\nthe second line\n\nRegards",
}

const region = (page: Page) => page.getByRole("region", { name: "Before you decide" })
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })
const choose = (page: Page, name: string) => page.getByRole("link", { name }).click()

test("what is unusual stands above the letter, most unusual first, and within the links of the list", async ({
  page,
  desk,
}) => {
  const first = await createQuietWork(desk, "October invoices")
  addApproval(desk, first.id, { ...LETTER, summary: "The first letter" })
  await page.goto("/approvals")
  await expect(page.getByRole("link", { name: "The first letter" })).toContainText("New destination")
  await choose(page, "The first letter")
  await expect(region(page)).toContainText(`First letter to ${KNOWN}`)
  await expect(region(page)).toContainText("First request from courier")
  const isAbove = async () => {
    const [above, below] = await Promise.all([
      region(page).boundingBox(),
      page.getByText("Dear Ms Oyelaran").boundingBox(),
    ])
    return above !== null && below !== null && above.y + above.height <= below.y
  }
  expect(await isAbove()).toBe(true)
  await decide(page, "approve", "Agreed")
  await expect(page.getByRole("article")).toContainText("Approved at this desk")

  const second = await createQuietWork(desk, "November invoices")
  const changed = LETTER.body.replace("first line", "other line").replace("second line", "next line")
  addApproval(desk, second.id, { ...LETTER, body: changed, summary: "The second letter" })
  addApproval(desk, second.id, { ...LETTER, destination: LOOK_ALIKE, summary: "The forged letter" })
  const third = await createQuietWork(desk, "The same again")
  addApproval(desk, third.id, { ...LETTER, body: changed, summary: "The third letter" })

  // Approvals that arrive while a list is shown wait behind a button. A list that is opened has all of them.
  await expect(page.getByRole("link", { name: "Approvals 3" })).toBeVisible()
  await page.goto("/approvals")
  await expect(page.getByRole("link", { name: "The forged letter" })).toContainText(`Looks like ${KNOWN}`)
  await choose(page, "The second letter")
  await expect(region(page)).toContainText("Letters to this destination: approved once.")
  await expect(region(page)).toContainText("The same letter is also pending in “The same again”")
  await expect(region(page)).not.toContainText("First letter")
  await region(page).getByText("Compared with the last approved letter to this destination: 2 lines changed").click()
  await expect(region(page).getByRole("deletion")).toContainText("the first line")
  await expect(region(page).getByRole("insertion")).toContainText("the next line")
  await expectAccessible(page)

  await choose(page, "The forged letter")
  await expect(region(page)).toContainText(/First letter to \S+, among \d+ approvals? read since \S/)
  await expect(region(page).getByRole("listitem").first()).toContainText(
    `Looks like ${KNOWN}, approved once: the “\u0430” is Cyrillic`,
  )
  await region(page).getByRole("listitem").first().waitFor()
  await expect(region(page)).not.toContainText(/\bsafe\b/i)
})

test("it belongs to the version on the screen, and Approve waits for it", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { ...LETTER, summary: "The known letter" })
  await page.goto("/approvals")
  await choose(page, "The known letter")
  await decide(page, "approve")
  await expect(page.getByRole("article")).toContainText("Approved at this desk")
  const id = addApproval(desk, work.id, { ...LETTER, summary: "The changing letter" })
  await page.goto("/approvals")
  await choose(page, "The changing letter")
  await expect(region(page)).toContainText("Letters to this destination: approved once.")

  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await page.route(/\/desk\/context\?.*version=2/, async (route) => {
    await held
    await route.continue()
  })
  revise(desk, "approval", id, { destination: LOOK_ALIKE })
  await page.getByRole("button", { name: "Show version 2" }).click({ timeout: 40_000 })
  await expect(region(page)).not.toContainText("Approved once")
  await expect(page.getByRole("button", { name: "Decline", exact: true })).toBeEnabled()
  await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeDisabled()
  release()
  await expect(region(page)).toContainText(`Looks like ${KNOWN}`)
  await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeEnabled()
})

for (const [what, answers] of [
  ["The desk couldn't check this destination's history", true],
  ["Checking this destination's history and look-alikes is taking longer than 10 s", false],
] as const)
  test(`Approve is possible while the page says: ${what}`, async ({ page, desk }) => {
    addApproval(desk, (await createQuietWork(desk)).id, { ...LETTER, summary: "The letter" })
    await page.clock.install()
    await page.route(/\/desk\/context/, (route) => (answers ? route.fulfill({ status: 500 }) : undefined))
    await page.goto("/approvals")
    await choose(page, "The letter")
    await expect(page.getByRole("button", { name: "Decline", exact: true })).toBeEnabled()
    if (!answers) {
      await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeDisabled()
      await page.clock.fastForward(10_000)
    }
    await expect(region(page)).toContainText(what)
    await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeEnabled()
  })

test("leaves the region out where nothing is to be said", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { ...LETTER, summary: "The older letter" })
  addApproval(desk, work.id, { ...LETTER, body: "Another text", summary: "The newer letter" })
  await page.goto("/approvals")
  await choose(page, "The newer letter")
  await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeEnabled()
  await expect(region(page)).toBeHidden()
  await choose(page, "The older letter")
  await expect(region(page)).toContainText(`First letter to ${KNOWN}`)
})

test("at most four facts stand above the letter, each on one line, and the rest unfolds; ids are in the details", async ({
  page,
  desk,
}) => {
  for (const count of [1, 2, 3, 4, 5])
    addApproval(desk, (await createQuietWork(desk, `Letter ${count} ${"of many letters ".repeat(9)}`)).id, {
      ...LETTER,
      summary: `Letter ${count}`,
    })
  await page.goto("/approvals")
  await choose(page, "Letter 1")
  const facts = region(page).getByRole("listitem")
  await expect(facts).toHaveCount(4)
  for (const fact of await facts.all()) expect((await fact.boundingBox())?.height).toBeLessThanOrEqual(24)
  const letter = page.getByText("Dear Ms Oyelaran")
  const isFolded = await letter.boundingBox()
  await page.getByRole("button", { name: /^Show all [5-9]$/ }).click()
  await expect.poll(() => facts.count()).toBeGreaterThan(4)
  await expect(facts.last()).toContainText("The same letter is also pending in")
  await button(page, "Show less").click()
  await expect(facts).toHaveCount(4)
  expect(await letter.boundingBox()).toEqual(isFolded)
  const hash = page.getByText(/^sha256:/)
  await expect(hash).toBeHidden()
  await page.getByText("Details", { exact: true }).click()
  await expect(hash).toBeVisible()
  await expectAccessible(page)
})

test("a member that changed stands in the card, and not in the details", async ({ page, desk }) => {
  const id = addApproval(desk, (await createQuietWork(desk)).id, { ...LETTER, summary: "The letter" })
  await page.goto("/approvals")
  await choose(page, "The letter")
  await expect(page.getByText(/^sha256:/)).toBeHidden()
  revise(desk, "approval", id, { payload_hash: "sha256:another" })
  await button(page, "Show version 2").click({ timeout: 40_000 })
  await expect(page.getByText("sha256:another")).toBeVisible()
})
