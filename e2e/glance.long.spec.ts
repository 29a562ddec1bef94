import { expect, test } from "./fixtures.ts"
import { expectOverview, saveViews, VIEWS } from "./glance-verbs.ts"
import { navigation, signInAs, signOut } from "./people-verbs.ts"

test.describe("on a desk", () => {
  test("the overview shows what waits, what is due and who works on it, as plots and as tables", ({ page, desk }) =>
    expectOverview(page, desk))
})

test.describe("with people", () => {
  test.use({ deskOptions: { people: true } })

  test("views belong to the person", async ({ page }) => {
    await signInAs(page, "Ben Okafor")
    await saveViews(page, VIEWS)
    await page.reload()
    await expect(navigation(page).getByRole("link", { name: "October close" })).toBeVisible()
    await signOut(page, "Ben Okafor")
    await signInAs(page, "Ada Lovelace")
    await expect(navigation(page).getByRole("link", { name: "Urgent" })).toBeVisible()
    await expect(navigation(page).getByRole("link", { name: "October close" })).toHaveCount(0)
  })
})
