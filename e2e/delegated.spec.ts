import { expect, expectAccessible, test } from "./fixtures.ts"
import { filterBy, openFilters } from "./filter-verbs.ts"
import { rows } from "./glance-verbs.ts"
import { changeAccess, everybodyMay, navigation, openAs, signInAs } from "./people-verbs.ts"
import { createAsPerson } from "./record-verbs.ts"

test.describe("with people", () => {
  test.use({ deskOptions: { people: true } })

  test("Work shows who delegated it, and can be filtered by that person and by day", async ({
    page,
    browser,
    desk,
  }) => {
    await changeAccess(desk, everybodyMay)
    const ben = await openAs(browser, desk, "Ben Okafor", "/work")
    const workId = await createAsPerson(ben, "Of Ben", "metronome")
    await signInAs(page, "Emil Berg", "/work")
    // It can take ten seconds until the desk has read the access file again and lets Emil create Work.
    await expect
      .poll(() => createAsPerson(page, "Of Emil", "metronome"), { timeout: 20_000 })
      .not.toMatch(/^(403|undefined)$/)
    await page.reload()
    await expect(rows(page)).toHaveText([/Of Emil(?!.*Delegated by)/, /Of Ben.*Delegated by Ben Okafor/])
    await expectAccessible(page)

    await filterBy(page, "Delegated by", "Ben Okafor")
    await expect(rows(page)).toHaveText([/Of Ben/])
    await filterBy(page, "Created", "Today")
    await expect(page).toHaveURL(/\/work\?by=[^&]+&created=today$/)
    await expect(rows(page)).toHaveText([/Of Ben/])
    await filterBy(page, "Created", "Yesterday")
    await expect(page.getByRole("heading", { name: "No Work matches" })).toBeVisible()
    await page.getByRole("button", { name: "Remove filter: Delegated by Ben Okafor" }).click()
    await (await openFilters(page)).getByLabel("Created on").fill("2020-02-29")
    await expect(page).toHaveURL(/\/work\?created=2020-02-29$/)
    await expect(page.getByRole("button", { name: /^Remove filter: Created .*2020/ })).toBeVisible()
    await page.keyboard.press("Escape")
    await expect(page.getByRole("region", { name: "Filters" })).toHaveCount(0)
    await expectAccessible(page)

    await page.goto("/work?by=nobody-known")
    await expect(page.getByRole("heading", { name: "No Work matches" })).toBeVisible()

    // Two clicks lead to the Work that a person delegated.
    await navigation(page).getByRole("link", { name: "Delegated by me" }).click()
    await expect(rows(page)).toHaveText([/Of Emil/])
    await rows(page).first().click()
    await expect(page.getByRole("heading", { level: 1, name: "Of Emil" })).toBeVisible()
    await expect(page.getByText("Delegated by Emil Berg")).toBeVisible()
    await page.goto(`/work/${workId}`)
    await expect(page.getByText("Delegated by Ben Okafor")).toBeVisible()
  })
})

test("in local mode Work can't be filtered by person", async ({ page }) => {
  await page.goto("/work")
  await createAsPerson(page, "Mine", "metronome")
  await page.goto("/work?by=me&created=7d")
  await expect(rows(page)).toHaveText([/Mine/])
  const filters = await openFilters(page)
  await expect(filters.getByRole("combobox", { name: "Created" })).toHaveValue("7d")
  await expect(filters.getByRole("combobox", { name: "Delegated by" })).toHaveCount(0)
  await expect(navigation(page).getByRole("link", { name: "Delegated by me" })).toHaveCount(0)
})
