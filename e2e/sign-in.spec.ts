import type { BrowserContext } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import { navigation, signInByHand } from "./people-verbs.ts"

test.use({ deskOptions: { people: true } })

test("codes, tokens and secrets are in no storage, cookie that a script can read, answer or log", async ({
  page,
  context,
  desk,
}) => {
  const codes: string[] = []
  const received: Promise<string>[] = []
  page.on("request", (request) => {
    const { origin, searchParams } = new URL(request.url())
    if (origin === desk.url) codes.push(...searchParams.getAll("code"))
  })
  page.on("response", (response) => {
    if (!response.url().startsWith(desk.url)) return
    const type = response.headers()["content-type"] ?? ""
    const ends = /json|html|javascript|css/.test(type)
    const headers = Object.entries(response.headers()).filter(([name]) => name !== "set-cookie")
    received.push((ends ? response.text().catch(() => "") : Promise.resolve("")).then((text) => text + String(headers)))
  })
  await signInByHand(page, "Ada Lovelace", "/approvals")
  await expect(page.getByRole("heading", { name: "Approvals", exact: true }).first()).toBeVisible()

  const cookies = await context.cookies(desk.url)
  expect(cookies).toEqual([
    expect.objectContaining({
      name: `workdesk-${new URL(desk.url).port}`,
      value: expect.stringMatching(/^[\w-]{43}$/),
      httpOnly: true,
      sameSite: "Strict",
      path: "/",
      expires: -1,
    }),
  ])
  const { identity } = desk
  expect(codes).toHaveLength(1)
  expect(identity?.tokens.length).toBeGreaterThanOrEqual(2)
  const secrets = [...codes, ...(identity?.tokens ?? []), identity?.clientSecret ?? "", cookies[0]?.value ?? ""]
  const places = {
    storage: await storageOf(context),
    script: await page.evaluate(() => document.cookie + location.href + document.documentElement.outerHTML),
    answers: (await Promise.all(received)).join("\n"),
    log: desk.serverLog(),
  }
  expect(places.answers).toContain("Ada Lovelace")
  for (const [place, text] of Object.entries(places)) {
    for (const secret of secrets) expect(text.includes(secret), `${place} holds a secret`).toBe(false)
  }
})

test("another site can neither begin nor forge a sign-in, and a link to a page of the app works", async ({
  page,
  context,
  desk,
}) => {
  await signInByHand(page, "Ada Lovelace")
  // The provider's host is another site than the desk.
  const elsewhere = await context.newPage()
  await elsewhere.route(`${desk.identity?.issuer}/elsewhere`, (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<a href="${desk.url}/desk/sign-in?return=/work">begin</a> <a href="${desk.url}/approvals">page</a>`,
    }),
  )
  await elsewhere.goto(`${desk.identity?.issuer}/elsewhere`)
  const refused = elsewhere.waitForResponse(/\/desk\/sign-in/)
  await elsewhere.getByRole("link", { name: "begin" }).click()
  expect((await refused).status()).toBe(403)
  await elsewhere.goto(`${desk.identity?.issuer}/elsewhere`)
  await elsewhere.getByRole("link", { name: "page" }).click()
  await expect(navigation(elsewhere).getByRole("button", { name: "Ada Lovelace" })).toBeVisible()
})

/** Everything that the browser keeps for the desk's pages: local and session storage, and every database. */
async function storageOf(context: BrowserContext): Promise<string> {
  const kept = await context.storageState({ indexedDB: true })
  const session = await Promise.all(
    context.pages().map((page) => page.evaluate(() => JSON.stringify([Object.entries(sessionStorage), window.name]))),
  )
  return JSON.stringify([kept.origins, session])
}
