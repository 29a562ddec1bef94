import { expect, expectAccessible, expectAccessibleInLightAndDark, test } from "./fixtures.ts"
import { navigation, signInAs } from "./people-verbs.ts"

test("in local mode the page says that there is no mail, and is reached from the menu and the palette", async ({
  page,
}) => {
  const asked: string[] = []
  page.on("request", (request) => asked.push(new URL(request.url()).pathname))
  await page.goto("/work")
  await page.getByRole("link", { name: "Notices" }).click()
  await expect(page).toHaveURL(/\/notices$/)
  await expect(page.getByRole("heading", { level: 1, name: "Notices" })).toBeVisible()
  await expect(page.getByText("no sign-in, so it knows no address and sends no mail")).toBeVisible()
  await expect(page.getByRole("combobox")).toHaveCount(0)
  await expect(page.getByRole("checkbox", { name: "Show a notice while a tab is open" })).toBeVisible()
  expect(asked).not.toContain("/desk/notices")
  await expectAccessibleInLightAndDark(page)
  await page.goto("/work")
  await page.keyboard.press("Control+k")
  await page.getByRole("combobox", { name: "Go to" }).fill("notices")
  await page.keyboard.press("Enter")
  await expect(page.getByRole("heading", { level: 1, name: "Notices" })).toBeVisible()
})

test.describe("with sign-in", () => {
  test.use({ deskOptions: { people: true } })

  test("a desk without a mail server says so, and the person's menu leads to the page", async ({ page }) => {
    await signInAs(page, "Ada Lovelace")
    await navigation(page).getByRole("button", { name: "Ada Lovelace" }).click()
    await navigation(page).getByRole("link", { name: "Notices" }).click()
    await expect(page.getByRole("heading", { level: 1, name: "Notices" })).toBeVisible()
    await expect(navigation(page).getByRole("link", { name: "Notices" })).toBeHidden()
    await expect(page.getByText("This desk sends no mail.")).toBeVisible()
    await expectAccessible(page)
  })
})
