import type { Page } from "@playwright/test"
import { createWork, expect, expectAccessible, test } from "./fixtures.ts"
import { openFilters } from "./filter-verbs.ts"
import { createQuietWork, decide } from "./inbox-verbs.ts"
import { changeAccess, navigation, signInAs } from "./people-verbs.ts"
import { addApproval, addAttention } from "./revise.ts"
import type { Desk } from "./start-desk.ts"

/** The links of the list, of either inbox. */
const links = (page: Page) => page.getByRole("list", { name: /^(Approvals|Needs You)$/ }).getByRole("link")
const field = (page: Page) => page.getByRole("searchbox", { name: "Find words" })
const choice = (page: Page, name: string) => page.getByRole("combobox", { name, exact: true })
const headings = (page: Page) => page.getByRole("main").getByRole("heading", { level: 2 })

/** Expects exactly these items in the list, and the count beside them. */
async function expectFound(page: Page, items: readonly RegExp[], total: number): Promise<void> {
  await expect(page.getByText(`${items.length} of ${total}`, { exact: true }).first()).toBeVisible()
  await expect(links(page)).toHaveText(items)
}

const LEASE = /Renew the lease/
const WAGES = /Pay the wages/
const INSURANCE = /Renew the insurance/
const TAXES = /Pay the taxes/
const MAGAZINE = /Cancel the magazine/

/** Two Works with five requests to three destinations, oldest first: lease, wages, insurance, taxes, magazine. */
async function createFive(desk: Desk) {
  const renewals = await createQuietWork(desk, "Renewals of Résumé Ltd")
  const payroll = await createWork(desk, {
    colleague_id: "metronome",
    objective: "rate=0.1",
    title: "Payroll",
    priority: "urgent",
    visibility_scope: "organization",
  })
  const add = (workId: string, summary: string, destination: string, fields = {}) =>
    addApproval(desk, workId, { summary, destination, subject: `About ${summary}`, ...fields })
  add(renewals.id, "Renew the lease", "halden@example.org")
  add(payroll.id, "Pay the wages", "bank@example.org")
  add(renewals.id, "Renew the insurance", "halden@example.org")
  add(payroll.id, "Pay the taxes", "tax@example.org", { requested_by_colleague: "clerk" })
  add(renewals.id, "Cancel the magazine", "halden@example.org", { subject: "Zeitschrift" })
}

test("an inbox finds words, and filters and groups what waits; the address has it all", async ({ page, desk }) => {
  await createFive(desk)
  await page.goto("/approvals")
  await expect(links(page)).toHaveText([LEASE, WAGES, INSURANCE, TAXES, MAGAZINE])
  await expect(page.getByText("2 of 2 checked")).toBeVisible()

  const asked: string[] = []
  page.on("request", (request) => asked.push(new URL(request.url()).pathname))
  await page.keyboard.press("/")
  await expect(field(page)).toBeFocused()
  // In the title of the Work and in the summary, in any order, without accents and letter case.
  await page.keyboard.type("LEASE resume")
  await expectFound(page, [LEASE], 5)
  await expect(page).toHaveURL(/\/approvals\?q=LEASE\+resume$/)
  for (const [words, found] of [
    ["zeitschrift", [MAGAZINE]],
    ["tax@example", [TAXES]],
    ["renew", [LEASE, INSURANCE, MAGAZINE]],
    ["lease wages", []],
  ] as const) {
    await field(page).fill(words)
    await expectFound(page, found, 5)
  }
  await expect(page.getByRole("heading", { name: "No approvals match" })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole("link", { name: "Clear filters" }).click()
  await expect(links(page)).toHaveCount(5)
  await expect(field(page)).toHaveValue("")

  const destinations = ["halden@example.org", "bank@example.org", "tax@example.org"]
  await openFilters(page)
  await expect(choice(page, "Destination").getByRole("option")).toHaveText(["Any", ...destinations])
  await choice(page, "Destination").selectOption("halden@example.org")
  await expectFound(page, [LEASE, INSURANCE, MAGAZINE], 5)
  await expect(page).toHaveURL(/\/approvals\?to=halden%40example.org$/)
  await choice(page, "Destination").selectOption("")
  await choice(page, "Priority").selectOption("urgent")
  await choice(page, "Colleague").selectOption("clerk")
  await expectFound(page, [TAXES], 5)
  await expect(page).toHaveURL(/\/approvals\?colleague=clerk&priority=urgent$/)
  await page.keyboard.press("Escape")
  await expect(choice(page, "Priority")).toHaveCount(0)
  await page.getByRole("button", { name: "Remove filter: Priority Urgent" }).click()
  await expect(page).toHaveURL(/\/approvals\?colleague=clerk$/)
  expect(asked.filter((path) => !/^\/(?:desk\/(?:waiting|context|presence)|icon)/.test(path))).toEqual([])

  await page.goto("/approvals?group=work&q=e")
  await expect(headings(page)).toHaveText(["Renewals of Résumé Ltd", "Payroll"])
  await expectFound(page, [LEASE, INSURANCE, MAGAZINE, WAGES, TAXES], 5)
  await choice(page, "Group").selectOption("destination")
  await expect(headings(page)).toHaveText(destinations)
  await expectAccessible(page)
})

test("J and K move within what is found, and what is decided leaves with the next key", async ({ page, desk }) => {
  await createFive(desk)
  await page.goto("/approvals?q=renew+halden")
  await expect(links(page)).toHaveCount(3)
  await field(page).focus()
  await page.keyboard.press("Enter")
  const letters = page.getByRole("article").getByRole("heading", { level: 2 })
  await expect(letters).toHaveText(LEASE)
  await decide(page, "decline")
  await expect(letters).toHaveText(INSURANCE)
  await expectFound(page, [INSURANCE, MAGAZINE], 4)
  for (let press = 0; press < 2; press++) {
    await page.keyboard.press("j")
    await expect(letters).toHaveText(MAGAZINE)
  }
  await expect(page).toHaveURL(/[?&]q=renew\+halden/)

  // A filter that leaves the chosen letter out of the list leaves it on the screen.
  await field(page).fill("wages")
  await expectFound(page, [WAGES], 4)
  await expect(letters).toHaveText(MAGAZINE)
  await field(page).press("ArrowDown")
  await expect(letters).toHaveText(WAGES)
})

test("a view of an inbox is saved, and opens the inbox", async ({ page, desk }) => {
  await createFive(desk)
  const address = /\/approvals\?to=halden%40example.org&group=work$/
  await page.goto("/approvals?to=halden%40example.org&group=work")
  await page.getByRole("button", { name: "Save view" }).click()
  const dialog = page.getByRole("dialog", { name: "Save view" })
  await dialog.getByRole("textbox", { name: "Name" }).fill("To Halden")
  await dialog.getByRole("button", { name: "Save", exact: true }).click()
  const view = navigation(page).getByRole("link", { name: "To Halden", exact: true })
  await expect(view).toHaveAttribute("aria-current", "page")
  await page.goto("/work")
  await view.click()
  await expect(page).toHaveURL(address)
  await expect(links(page)).toHaveCount(3)
  await page.keyboard.press("ControlOrMeta+k")
  await page.getByRole("combobox", { name: "Go to" }).fill("halden")
  await page.getByRole("option", { name: /To Halden$/ }).click()
  await expect(page).toHaveURL(address)
})

test("the heading, the tabs and the controls are in one line, and the filter button shows how many filters are set", async ({
  page,
  desk,
}) => {
  await createFive(desk)
  await page.goto("/approvals")
  await expect(links(page)).toHaveCount(5)
  const middleOf = async (control: ReturnType<typeof field>) => {
    const box = await control.boundingBox()
    return box === null ? undefined : Math.round(box.y + box.height / 2)
  }
  const save = page.getByRole("button", { name: "Save view" })
  expect(await middleOf(save)).toBeDefined()
  for (const other of [
    field(page),
    page.getByRole("main").getByRole("link", { name: "Questions" }),
    page.getByRole("heading", { level: 1 }),
  ])
    expect(await middleOf(other)).toBe(await middleOf(save))

  await page.setViewportSize({ width: 390, height: 844 })
  await expect(choice(page, "Priority")).toHaveCount(0)
  await page.getByRole("button", { name: "Filter", exact: true }).click()
  await choice(page, "Priority").selectOption("urgent")
  for (const name of ["Group", "Colleague", "Priority", "Team", "Destination"])
    await expect(choice(page, name)).toBeInViewport({ ratio: 1 })
  await expectFound(page, [WAGES, TAXES], 5)
  await expectAccessible(page)
  await page.getByRole("button", { name: "Filter 1" }).click()
  await expect(choice(page, "Priority")).toHaveCount(0)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
})

test.describe("with sign-in", () => {
  test.use({ deskOptions: { people: true } })

  test("questions are found as well: nothing concealed is found, and what is set aside does not count", async ({
    page,
    desk,
  }) => {
    const AMOUNT = /Which amount is right/
    const DATE = /Which date is right/
    const open = await createQuietWork(desk, "Open Work")
    const invoices = await createQuietWork(desk, "Invoices")
    const hidden = await createWork(desk, {
      colleague_id: "metronome",
      objective: "rate=0.1",
      title: "Secret merger",
      visibility_scope: "private",
    })
    addAttention(desk, open.id, { title: "Which amount is right?" })
    addAttention(desk, invoices.id, { title: "Which date is right?" })
    addAttention(desk, hidden.id, { title: "Whom may the merger be told?" })
    await signInAs(page, "Ben Okafor", "/needs-you?kind=questions&q=merger")
    await expect(page.getByRole("heading", { name: "No questions match" })).toBeVisible()
    await expectFound(page, [], 2)
    await expect(choice(page, "Destination")).toHaveCount(0)
    await expect(choice(page, "Group").getByRole("option")).toHaveText(["None", "Work"])

    await field(page).fill("right invoices")
    await expectFound(page, [DATE], 2)
    await field(page).press("Enter")
    await expect(page.getByRole("article")).toContainText("Which date is right?")
    await field(page).fill("right")
    await expectFound(page, [AMOUNT, DATE], 2)
    await choice(page, "Group").selectOption("work")
    await expect(page.getByRole("heading", { level: 2, name: /^(Open Work|Invoices)$/ })).toHaveCount(2)
    await expectAccessible(page)
    await page.getByRole("heading", { level: 1 }).click()
    await page.keyboard.press("s")
    await page.getByRole("dialog").getByRole("button", { name: "In an hour" }).click()
    await expectFound(page, [AMOUNT], 1)
    await expect(page.getByText("Set aside (1)")).toBeVisible()
  })

  test("what a team was handed is found by the team", async ({ page, desk }) => {
    await changeAccess(desk, () => ({
      roles: { reader: ["anyone"], approver: ["anyone"] },
      rules: [],
      visibility: { teams: ["Finance", "Legal"].map((name) => ({ name, members: ["anyone"] })) },
    }))
    const work = await createQuietWork(desk)
    const [item = ""] = ["Pay the wages", "Pay the taxes", "Renew the lease"].map((summary) =>
      addApproval(desk, work.id, { summary }),
    )
    await signInAs(page, "Ada Lovelace", "/approvals")
    // The teams of the access file are read again within ten seconds.
    await expect(async () => {
      const answer = await page.request.get(`/desk/people?${new URLSearchParams({ work: work.id, item })}`)
      expect(await answer.json()).toMatchObject({ teams: ["Finance", "Legal"] })
    }).toPass()
    for (const [name, team] of [
      [WAGES, "Finance"],
      [TAXES, "Finance"],
      [LEASE, "Legal"],
    ] as const) {
      await links(page).filter({ hasText: name }).click()
      await page.getByRole("button", { name: "Hand to", exact: true }).click()
      const dialog = page.getByRole("dialog", { name: "Hand to" })
      await dialog.getByRole("combobox", { name: "To" }).selectOption(team)
      await dialog.getByRole("button", { name: "Hand over" }).click()
      await expect(page.getByRole("article")).toContainText(`Handed to ${team}`)
    }
    await openFilters(page)
    await expect(choice(page, "Team").getByRole("option")).toHaveText(["Any", "Finance", "Legal"])
    await choice(page, "Team").selectOption("Finance")
    await expectFound(page, [WAGES, TAXES], 3)
    await expect(page).toHaveURL(/[?&]team=Finance/)
    await page.reload()
    await expectFound(page, [WAGES, TAXES], 3)
    // Whoever is in the team can give the item back, or take it from the team.
    const button = (name: string) => page.getByRole("button", { name, exact: true })
    const press = async (name: string) => {
      // A button that changes its words does nothing for half a second.
      await expect(button(name)).toBeEnabled()
      await button(name).focus()
      await page.keyboard.press("Enter")
    }
    await links(page).filter({ hasText: WAGES }).click()
    await press("Give back")
    // What is no longer found keeps its row until the next key, which goes on from there.
    await expect(page.getByText("1 of 3", { exact: true })).toBeVisible()
    await expect(button("Take it")).toBeFocused()
    await expect(links(page)).toHaveText([WAGES, TAXES])
    await page.keyboard.press("j")
    await expectFound(page, [TAXES], 3)
    await expect(page.getByRole("article").getByRole("heading", { level: 2 })).toHaveText(TAXES)
    await press("Take it")
    await expect(page.getByRole("article")).toContainText("Taken by Ada Lovelace")
    await expect(button("Give back")).toBeFocused()
    await expect(page.getByText("0 of 3", { exact: true })).toBeVisible()
  })
})
