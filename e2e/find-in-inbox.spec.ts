import type { Page } from "@playwright/test"
import { createWork, expect, expectAccessible, test } from "./fixtures.ts"
import { createQuietWork, decide } from "./inbox-verbs.ts"
import { navigation, signInAs } from "./people-verbs.ts"
import { addApproval, addAttention } from "./revise.ts"
import type { Desk } from "./start-desk.ts"

const links = (page: Page) => page.getByRole("main").getByRole("list").getByRole("link")
const field = (page: Page) => page.getByRole("searchbox", { name: "Find words" })
const choose = (page: Page, name: string, value: string) =>
  page.getByRole("combobox", { name, exact: true }).selectOption(value)
const requests = (page: Page) => page.getByRole("list", { name: "Approvals" }).getByRole("link")

/** Two Works with five requests to three destinations. */
async function createFive(desk: Desk) {
  const renewals = await createQuietWork(desk, "Renewals of Résumé Ltd")
  const urgent = await createWork(desk, {
    colleague_id: "metronome",
    objective: "rate=0.1",
    title: "Payroll",
    priority: "urgent",
    visibility_scope: "organization",
  })
  const add = (workId: string, summary: string, destination: string, fields = {}) =>
    addApproval(desk, workId, { summary, destination, subject: `About ${summary}`, ...fields })
  add(renewals.id, "Renew the lease", "halden@example.org")
  add(urgent.id, "Pay the wages", "bank@example.org")
  add(renewals.id, "Renew the insurance", "halden@example.org")
  add(urgent.id, "Pay the taxes", "tax@example.org", { requested_by_colleague: "clerk" })
  add(renewals.id, "Cancel the magazine", "halden@example.org", { subject: "Zeitschrift" })
}

test("an inbox finds words, and filters, groups and counts what waits; the address has it all", async ({
  page,
  desk,
}) => {
  await createFive(desk)
  await page.goto("/approvals")
  await expect(requests(page)).toHaveCount(5)
  await expect(page.getByText("2 of 2 checked")).toBeVisible()

  const asked: string[] = []
  page.on("request", (request) => asked.push(new URL(request.url()).pathname))
  await page.keyboard.press("/")
  await expect(field(page)).toBeFocused()
  // In the title of the Work and in the summary, in any order, without accents and letter case.
  await page.keyboard.type("LEASE resume")
  await expect(requests(page)).toHaveText([/Renew the lease/])
  await expect(page.getByText("1 of 5", { exact: true })).toBeVisible()
  await expect(page).toHaveURL(/\/approvals\?q=LEASE\+resume$/)
  for (const [words, count] of [
    ["zeitschrift", 1],
    ["tax@example", 1],
    ["renew", 3],
    ["lease wages", 0],
  ] as const) {
    await field(page).fill(words)
    await expect(page.getByText(`${count} of 5`, { exact: true })).toBeVisible()
    await expect(requests(page)).toHaveCount(count)
  }
  await expect(page.getByRole("heading", { name: "No approvals match" })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole("link", { name: "Clear filters" }).click()
  await expect(requests(page)).toHaveCount(5)
  await expect(field(page)).toHaveValue("")

  await expect(page.getByRole("combobox", { name: "Destination" }).getByRole("option")).toHaveText([
    "Any",
    "halden@example.org",
    "bank@example.org",
    "tax@example.org",
  ])
  await choose(page, "Destination", "halden@example.org")
  await expect(page).toHaveURL(/\/approvals\?to=halden%40example.org$/)
  await expect(requests(page)).toHaveCount(3)
  await choose(page, "Destination", "")
  await choose(page, "Priority", "urgent")
  await choose(page, "Colleague", "clerk")
  await expect(requests(page)).toHaveText([/Pay the taxes/])
  await expect(page).toHaveURL(/\/approvals\?colleague=clerk&priority=urgent$/)
  expect(asked.filter((path) => !/^\/desk\/(waiting|context|presence)/.test(path))).toEqual([])

  await page.goto("/approvals?group=work&q=e")
  await expect(page.getByRole("main").getByRole("heading", { level: 2 })).toHaveText([
    "Renewals of Résumé Ltd",
    "Payroll",
  ])
  await expect(requests(page)).toHaveText([/lease/, /insurance/, /magazine/, /wages/, /taxes/])
  await choose(page, "Group", "destination")
  await expect(page.getByRole("main").getByRole("heading", { level: 2 })).toHaveText([
    "halden@example.org",
    "bank@example.org",
    "tax@example.org",
  ])
  await expectAccessible(page)
})

test("J and K move within what is found, and what is decided leaves with the next key", async ({ page, desk }) => {
  await createFive(desk)
  await page.goto("/approvals?q=renew+halden")
  await expect(requests(page)).toHaveCount(3)
  await field(page).focus()
  await page.keyboard.press("Enter")
  const titles = page.getByRole("article").getByRole("heading", { level: 2 })
  await expect(titles).toHaveText("Renew the lease")
  await decide(page, "decline")
  // As without a filter: the decided letter stays above the next one.
  await expect(titles).toHaveText(["Renew the lease", "Renew the insurance"])
  await expect(page.getByText("2 of 4", { exact: true })).toBeVisible()
  await expect(requests(page)).toHaveText([/insurance/, /magazine/])
  await page.keyboard.press("j")
  await expect(titles).toHaveText("Cancel the magazine")
  await page.keyboard.press("j")
  await expect(titles).toHaveText("Cancel the magazine")
  await expect(page).toHaveURL(/[?&]q=renew\+halden/)

  // A filter that leaves the chosen letter out of the list leaves it on the screen.
  await field(page).fill("wages")
  await expect(requests(page)).toHaveText([/Pay the wages/])
  await expect(titles).toHaveText("Cancel the magazine")
  await field(page).press("ArrowDown")
  await expect(titles).toHaveText("Pay the wages")
})

test("a view of an inbox is saved, and opens the inbox", async ({ page, desk }) => {
  await createFive(desk)
  await page.goto("/approvals?to=halden%40example.org&group=work")
  await page.getByRole("button", { name: "Save view" }).click()
  const dialog = page.getByRole("dialog", { name: "Save view" })
  await dialog.getByRole("textbox", { name: "Name" }).fill("To Halden")
  await dialog.getByRole("button", { name: "Save", exact: true }).click()
  const view = navigation(page).getByRole("link", { name: "To Halden", exact: true })
  await expect(view).toHaveAttribute("aria-current", "page")
  await page.goto("/work")
  await view.click()
  await expect(page).toHaveURL(/\/approvals\?to=halden%40example.org&group=work$/)
  await expect(requests(page)).toHaveCount(3)
  await page.keyboard.press("ControlOrMeta+k")
  await page.getByRole("combobox", { name: "Go to" }).fill("halden")
  await page.getByRole("option", { name: /To Halden$/ }).click()
  await expect(page).toHaveURL(/\/approvals\?to=halden%40example.org&group=work$/)
})

test.describe("with sign-in", () => {
  test.use({ deskOptions: { people: true } })

  test("nothing concealed is found, and what is set aside does not count", async ({ page, desk }) => {
    const open = await createQuietWork(desk, "Open Work")
    const hidden = await createWork(desk, {
      colleague_id: "metronome",
      objective: "rate=0.1",
      title: "Secret merger",
      visibility_scope: "private",
    })
    addAttention(desk, open.id, { title: "Which amount is right?" })
    addAttention(desk, hidden.id, { title: "Whom may the merger be told?" })
    await signInAs(page, "Ben Okafor", "/needs-you?q=merger")
    await expect(page.getByRole("heading", { name: "No questions match" })).toBeVisible()
    await expect(page.getByText("0 of 1", { exact: true })).toBeVisible()
    await expect(page.getByRole("combobox", { name: "Destination" })).toHaveCount(0)
    await expect(page.getByRole("combobox", { name: "Group" }).getByRole("option")).toHaveText(["None", "Work"])
    await field(page).fill("amount")
    await links(page).first().click()
    await page.keyboard.press("s")
    await page.getByRole("dialog").getByRole("button", { name: "In an hour" }).click()
    await expect(page.getByText("0 of 0", { exact: true })).toBeVisible()
    await expect(page.getByText("Set aside (1)")).toBeVisible()
  })
})
