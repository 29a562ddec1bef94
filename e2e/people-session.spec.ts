import type { Request } from "@playwright/test"
import { expect, expectAccessible, test } from "./fixtures.ts"
import { choosePerson, lock, moreButton, navigation, objective, signInAs, signOut } from "./people-verbs.ts"

test.use({ deskOptions: { people: true } })

test("any address shows the page Sign in, and a sign-in leads back to the address", async ({ page, context }) => {
  await page.goto("/approvals?item=apr_1&work=wrk_1")
  await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible()
  await expect(page).toHaveTitle("Sign in · Workdesk")
  await expect(page.getByRole("button")).toHaveCount(1)
  await expect(page.getByText("You'll continue to Approvals.")).toBeVisible()
  await expectAccessible(page)
  await page.getByRole("button", { name: "Sign in" }).click()
  await choosePerson(page, "Ada Lovelace")
  await expect(page.getByRole("heading", { level: 1, name: "Approvals" })).toBeVisible()
  await expect(page).toHaveURL(/\/approvals\?item=apr_1&work=wrk_1$/)

  // Scripts see no cookie, and nothing of the sign-in is kept.
  const kept = await page.evaluate(() => document.cookie + JSON.stringify([localStorage, sessionStorage]))
  const cookies = await context.cookies()
  expect(cookies.filter(({ name }) => name.startsWith("workdesk")).map(({ httpOnly }) => httpOnly)).toEqual([true])
  for (const { value } of cookies) expect(kept).not.toContain(value)
})

test("a session that ends locks the page: the text stays, nothing is sent, and the same person goes on", async ({
  page,
  context,
}) => {
  await signInAs(page, "Ben Okafor", "/work/new")
  await objective(page).fill("Half a sentence")
  const other = await context.newPage()
  await other.goto("/work")
  await signOut(other, "Ben Okafor")

  await expect(lock(page)).toBeVisible()
  // Somebody who is typing presses no button.
  await page.keyboard.type(" and the other half ", { delay: 20 })
  expect(context.pages()).toHaveLength(2)
  await expect(lock(page)).toContainText("What you typed is kept")
  await expectAccessible(page)
  const sent: Request[] = []
  page.on("request", (request) => sent.push(request))
  for (let press = 0; press < 3; press++) await page.keyboard.press("Escape")
  // Neither the page nor its shortcuts can be reached.
  await page.keyboard.press("?")
  await page.keyboard.press("Control+k")
  await expect(page.getByRole("dialog")).toHaveCount(1)
  await expect(lock(page).getByRole("button", { name: "Sign in" })).toBeFocused()

  const [third] = await Promise.all([
    context.waitForEvent("page"),
    lock(page).getByRole("button", { name: "Sign in" }).click(),
  ])
  await third.waitForURL(/^http:\/\/localhost:/)
  // Nor does a page that is locked ask for anything.
  expect(sent.filter((request) => request.url().includes("/api/"))).toEqual([])
  await choosePerson(third, "Ben Okafor")
  await expect(navigation(third).getByRole("button", { name: "Ben Okafor" })).toBeVisible()
  await expect(lock(page)).toHaveCount(0)
  await expect(objective(page)).toHaveValue("Half a sentence")
  expect(sent.filter((request) => request.method() !== "GET").map((request) => request.url())).toEqual([])
})

test("another person gets a page without the text of the person before", async ({ page, context }) => {
  await signInAs(page, "Ben Okafor", "/work/new")
  await objective(page).fill("Only Ben may read this")
  const other = await context.newPage()
  await other.goto("/work")
  await signOut(other, "Ben Okafor")
  await expect(lock(page)).toBeVisible()
  await signInAs(other, "Cleo Martin")
  await expect(navigation(page).getByRole("button", { name: "Cleo Martin" })).toBeVisible()
  await expect(objective(page)).toHaveValue("")

  await signOut(other, "Cleo Martin")
  await signInAs(other, "Ben Okafor", "/work/new")
  await expect(objective(other)).toHaveValue("Only Ben may read this")
})

test.describe("in local mode", () => {
  test.use({ deskOptions: {} })

  test("there is no person's menu, and nobody signs in", async ({ page }) => {
    const touches: string[] = []
    page.on("request", (request) => request.url().includes("touch") && touches.push(request.url()))
    await page.goto("/work/new")
    await objective(page).fill("Nobody asks who I am")
    await moreButton(page).click()
    await expect(navigation(page).getByRole("link", { name: "Notices" })).toBeVisible()
    await expect(navigation(page).getByRole("button", { name: /Sign out|Switch person/ })).toHaveCount(0)
    expect(touches).toEqual([])
  })
})
