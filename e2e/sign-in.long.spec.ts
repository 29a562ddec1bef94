import { expect, test } from "./fixtures.ts"
import { navigation, signInByHand } from "./people-verbs.ts"

test.use({ deskOptions: { people: true } })

test("an answer of the provider that is used again, or was never asked for, is a page in plain words without script", async ({
  page,
  desk,
}) => {
  const callback = page.waitForRequest(/\/desk\/sign-in\/callback/)
  await signInByHand(page, "Ben Okafor", "/work?status=done")
  const used = (await callback).url()

  for (const address of [
    used,
    `${desk.url}/desk/sign-in/callback?code=x&state=y`,
    `${desk.url}/desk/sign-in/callback`,
  ]) {
    const response = await page.goto(address)
    expect(response?.status()).toBe(400)
    expect(await page.locator("script").count()).toBe(0)
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Sign-in no longer valid")
  }
  // The session that exists is untouched.
  await page.goto("/work")
  await expect(navigation(page).getByRole("button", { name: "Ben Okafor" })).toBeVisible()

  await page.goto(used)
  await page.getByRole("link", { name: "Sign in again" }).click()
  await expect(navigation(page).getByRole("button", { name: "Ben Okafor" })).toBeVisible()
})
