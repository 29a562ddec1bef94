import { expect, expectAccessibleInLightAndDark, test } from "./fixtures.ts"
import { createAsking, createQuietWork } from "./inbox-verbs.ts"
import { moreButton, navigation, openAs } from "./people-verbs.ts"
import { addApproval } from "./revise.ts"

test("the menu has one place for what needs the person, with both kinds below it", async ({ page, desk }) => {
  await createAsking(desk, "A question")
  const { id } = await createQuietWork(desk)
  addApproval(desk, id)
  addApproval(desk, id, { summary: "Another request" })
  await page.goto("/")
  await expect(page).toHaveURL(/\/needs-you$/)
  const menu = navigation(page)
  await expect(menu.getByRole("link")).toHaveText([
    "Needs You 3",
    "Questions 1",
    "Approvals 2",
    "Work",
    "Waiting longest",
    "Overdue",
    "Due this week",
    "Urgent",
    "Overview",
    "New Work",
    "Record",
  ])
  await expect(page).toHaveTitle(/^\(3\) /)
  await menu.getByRole("link", { name: "Questions" }).click()
  await expect(page).toHaveURL(/\/needs-you\?kind=questions$/)
  await expect(menu.getByRole("link", { name: "Questions" })).toHaveAttribute("aria-current", "page")
  await expect(menu.getByRole("link", { name: "Needs You" })).not.toHaveAttribute("aria-current")
})

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test("five places are at the bottom, each large enough for a finger, and More has the rest", async ({
    page,
    desk,
  }) => {
    await createAsking(desk, "A question")
    await page.goto("/overview")
    const menu = navigation(page)
    await expect(menu.getByRole("link")).toHaveText(["Needs You 1", "Work", "New Work", "Overview"])
    await expect(menu.getByRole("button")).toHaveText(["More"])
    for (const place of await menu.locator("a, button").filter({ visible: true }).all()) {
      await expect(place).toBeInViewport({ ratio: 1 })
      const box = await place.boundingBox()
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44)
    }
    await moreButton(page).click()
    for (const name of ["Record", "Notices", "Overdue"])
      await expect(menu.getByRole("link", { name, exact: true })).toBeVisible()
    await expect(menu.getByRole("button", { name: /^Theme/ })).toBeVisible()
    await expect(menu.getByRole("button", { name: "Keyboard shortcuts" })).toBeVisible()
    await expectAccessibleInLightAndDark(page)
    await menu.getByRole("link", { name: "Record" }).click()
    await expect(page.getByRole("heading", { level: 1, name: "Record" })).toBeFocused()
    await expect(menu.getByRole("link", { name: "Record" })).toBeHidden()
  })
})

test.describe("with sign-in", () => {
  test.use({ deskOptions: { people: true } })

  test("the first page is Needs You for people who may answer or approve, otherwise Work", async ({
    browser,
    desk,
  }) => {
    for (const [name, address, heading] of [
      ["Ada Lovelace", /\/needs-you$/, "Needs You"],
      ["Ben Okafor", /\/needs-you$/, "Needs You"],
      ["Cleo Martin", /\/work$/, "Work"],
    ] as const) {
      const page = await openAs(browser, desk, name, "/")
      await expect(page).toHaveURL(address)
      await expect(page.getByRole("heading", { level: 1, name: heading, exact: true })).toBeVisible()
      await page.context().close()
    }
  })

  test("the overview's first sentence is about what needs the person; a reader has no badge anywhere", async ({
    browser,
    desk,
  }) => {
    const { id } = await createQuietWork(desk)
    addApproval(desk, id)
    const ada = await openAs(browser, desk, "Ada Lovelace", "/overview")
    await expect(ada.getByText(/^Longest waiting:/)).toBeVisible()
    await expect(ada).toHaveTitle("(1) Overview · Workdesk")
    const cleo = await openAs(browser, desk, "Cleo Martin", "/overview")
    await expect(cleo.getByText("Nothing needs you.")).toBeVisible()
    await expect(cleo.getByRole("figure", { name: "What waits" })).toHaveAccessibleDescription(
      /^0 \w+ and 1 approval; 1 waits for others$/,
    )
    await expect(cleo).toHaveTitle("Overview · Workdesk")
    await expect(navigation(cleo).getByRole("link", { name: /^(Needs You|Questions|Approvals)/ })).toHaveText([
      "Needs You",
      "Questions",
      "Approvals",
    ])
    await expect(cleo.locator("#icon")).toHaveAttribute("href", "/icon.svg")
    for (const page of [ada, cleo]) await page.context().close()
  })
})
