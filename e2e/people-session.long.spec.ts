import { readFile, writeFile } from "node:fs/promises"
import { expect, expectAccessible, test } from "./fixtures.ts"
import { chooseInMenu, choosePerson, lock, navigation, objective, signInAs, signOut } from "./people-verbs.ts"

test.use({ deskOptions: { people: true } })

test("somebody without a role reads as whom they are signed in and whom to ask, and goes on with a role", async ({
  page,
  desk,
}) => {
  const roles = await readFile(desk.accessFile, "utf8")
  await writeFile(desk.accessFile, roles.replaceAll("group:staff", "group:nobody"))
  await page.goto("/work")
  await page.getByRole("button", { name: "Sign in" }).click()
  await choosePerson(page, "Cleo Martin")
  await expect(page.getByRole("heading", { level: 1, name: "You have no role here" })).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText("You're signed in as Cleo Martin (cleo@example.com).")).toBeVisible()
  await expect(page.getByText("Ask the demonstration's administrator.")).toBeVisible()
  await expect(page.getByText('name "Cleo Martin", subject "cleo", groups claim "groups": staff')).toBeVisible()
  await expect(page.getByRole("button", { name: "Switch person" })).toBeVisible()
  await expect(page.getByRole("button", { name: "Sign out" })).toBeVisible()
  await expectAccessible(page)
  await writeFile(desk.accessFile, roles)
  await expect
    .poll(
      async () => {
        await page.reload()
        return navigation(page).getByRole("button", { name: "Cleo Martin" }).isVisible()
      },
      { timeout: 30_000 },
    )
    .toBe(true)
})

test("Switch person asks the provider anew, and every tab becomes the new person's", async ({ page, context }) => {
  await signInAs(page, "Ben Okafor", "/needs-you")
  const other = await context.newPage()
  await other.goto("/approvals")
  await expect(navigation(other).getByRole("button", { name: "Ben Okafor" })).toBeVisible()
  await chooseInMenu(page, "Ben Okafor", "Switch person")
  await expect(lock(other)).toBeVisible()
  await choosePerson(page, "Ada Lovelace")
  await expect(page).toHaveURL(/\/needs-you$/)
  for (const tab of [page, other])
    await expect(navigation(tab).getByRole("button", { name: "Ada Lovelace" })).toBeVisible()
})

test("only a reload of a locked page shows the page Sign in", async ({ page, context }) => {
  await signInAs(page, "Ben Okafor", "/needs-you")
  await context.clearCookies()
  await expect(lock(page)).toBeVisible({ timeout: 45_000 })
  await page.reload()
  await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible()
})

test.describe("with a session that ends soon", () => {
  test.use({ deskOptions: { people: true, environment: { SESSION_IDLE: "8s" } } })

  test("input prolongs the session, polling does not, and its end locks the page by itself", async ({ page }) => {
    const touches: string[] = []
    page.on("request", (request) => request.url().endsWith("/desk/session/touch") && touches.push(request.method()))
    await signInAs(page, "Ben Okafor", "/work/new")
    const began = performance.now()
    await objective(page).pressSequentially("Typed while the time runs out", { delay: 100 })
    await expect(lock(page)).toBeVisible({ timeout: 30_000 })
    // Touched at the first key, and not again within a minute.
    expect(touches).toEqual(["POST"])
    expect(performance.now() - began).toBeGreaterThan(8_000)
    await expect(objective(page)).toHaveValue("Typed while the time runs out")
  })
})

test("the person's menu says who is here with which roles, by keyboard alone, and signs out", async ({ page }) => {
  await signInAs(page, "Ben Okafor", "/needs-you")
  const button = navigation(page).getByRole("button", { name: "Ben Okafor" })
  await button.focus()
  await page.keyboard.press("Enter")
  const roles = page.getByRole("list", { name: "Roles" }).getByRole("listitem")
  await expect(roles).toHaveText([/^Answerer/, /^Delegator/])
  await expectAccessible(page)
  await page.keyboard.press("Escape")
  await expect(roles).toHaveCount(0)
  await expect(button).toBeFocused()

  await signOut(page, "Ben Okafor")
  await page.goto("/needs-you")
  await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible()
})
