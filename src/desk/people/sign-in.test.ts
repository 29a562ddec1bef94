import { describe, expect, it } from "vitest"
import type { People } from "./people-interface.ts"
import { Browser, PUBLIC_URL } from "./testing/browser.ts"
import { CLIENT_ID, CLIENT_SECRET } from "./testing/hostile-provider.ts"
import { beforeSignIn } from "./testing/signed-in.ts"

async function personOf(people: People, browser: Browser) {
  const session = await people.identify(browser.cookies)
  return "code" in session ? session.code : session.person
}

describe("a sign-in", () => {
  it("leads to the provider with PKCE, state and nonce, and back to the address that was asked for", async () => {
    const { people, signIn, browser } = await beforeSignIn()
    const begun = await signIn.begin({ returnTo: "/approvals?item=x", again: false, cookies: undefined })
    if (begun.kind === "failed") throw new Error(begun.reason)
    const asked = Object.fromEntries(new URL(begun.location).searchParams)
    expect(asked).toEqual({
      client_id: CLIENT_ID,
      response_type: "code",
      scope: "openid profile email",
      redirect_uri: `${PUBLIC_URL}/desk/sign-in/callback`,
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(begun.setCookies).toEqual([
      expect.stringMatching(
        /^__Host-workdesk-sign-in-[\w-]{12}=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ])

    const finished = await browser.signIn(signIn, { returnTo: "/approvals?item=x" })
    expect(finished).toMatchObject({ kind: "finished", location: "/approvals?item=x" })
    expect(finished.setCookies[0]).toMatch(/^__Host-workdesk=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/)
    expect(browser.names).toEqual(["__Host-workdesk"])
    expect(await personOf(people, browser)).toEqual({
      id: expect.stringMatching(/^[\w-]{43}$/),
      name: "Ada Lovelace",
      roles: ["approver"],
      operations: expect.arrayContaining(["listWork", "resolveWorkApproval"]),
    })
  })

  it("is forgotten when a thousand newer ones are under way", async () => {
    const { signIn, database, browser } = await beforeSignIn()
    const query = await browser.visitProvider(signIn)
    const begin = () => signIn.begin({ returnTo: undefined, again: false, cookies: undefined })
    // Those that began before it go first.
    await new Promise((resolve) => setTimeout(resolve, 2))
    for (let count = 0; count < 1_000; count++) await begin()
    expect(await database.read("SELECT count(*) AS count FROM sign_in")).toEqual([{ count: 1_000 }])
    expect(await browser.comeBack(signIn, query)).toMatchObject({ kind: "failed", reason: "state_unknown" })
  })

  it("with plain http has the port in the cookies' names, and no Secure", async () => {
    const { signIn } = await beforeSignIn({ publicUrl: new URL("http://localhost:4400/") })
    const begun = await signIn.begin({ returnTo: undefined, again: false, cookies: undefined })
    expect(begun.setCookies).toEqual([
      expect.stringMatching(
        /^workdesk-4400-sign-in-[\w-]{12}=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ])
  })

  it.each<
    [place: "header" | "body", why: string, methods: string[] | undefined, secretIn: "header" | "body" | undefined]
  >([
    ["header", "the metadata say nothing", undefined, undefined],
    ["header", "the metadata allow both", ["client_secret_post", "client_secret_basic"], undefined],
    ["body", "the metadata allow no other place", ["client_secret_post"], undefined],
    ["body", "OIDC_CLIENT_SECRET_IN says so", ["client_secret_post", "client_secret_basic"], "body"],
  ])("sends the secret in the %s when %s", async (place, _, methods, secretIn) => {
    const { provider, signIn, browser } = await beforeSignIn({ clientSecret: () => CLIENT_SECRET, secretIn })
    provider.secretIn = place
    provider.secretMethods = methods
    expect(await browser.signIn(signIn)).toMatchObject({ kind: "finished" })
    expect(provider.asked.token).toBe(1)
  })

  it("works in two tabs at the same time", async () => {
    const { signIn, browser } = await beforeSignIn()
    const [one, other] = [await browser.visitProvider(signIn), await browser.visitProvider(signIn)]
    expect(await browser.comeBack(signIn, one)).toMatchObject({ kind: "finished" })
    expect(await browser.comeBack(signIn, other)).toMatchObject({ kind: "finished" })
  })

  it("gives the same id to the same person, and another to everybody else", async () => {
    const { provider, signIn } = await beforeSignIn()
    const idOf = async (sub: string) => {
      provider.claims = { sub, name: "Ada Lovelace", email: "ada@example.com", email_verified: true }
      const result = await new Browser().signIn(signIn)
      return result.kind === "finished" ? result.personId : result.reason
    }
    const [ada, again, other] = [await idOf("ada"), await idOf("ada"), await idOf("Ada")]
    expect(again).toBe(ada)
    expect(other).not.toBe(ada)
  })

  it("leads back only to a path of the app", async () => {
    const { signIn, browser } = await beforeSignIn()
    for (const [returnTo, location] of [
      ["/work/a.b?x=1#y", "/work/a.b?x=1#y"],
      ["/work?q=é", "/work?q=%C3%A9"],
      ["/", "/"],
      ["", "/"],
      ["work", "/"],
      ["//evil.example", "/"],
      ["//evil.example/work", "/"],
      ["//[", "/"],
      ["/\\evil.example", "/"],
      ["\\/evil.example", "/"],
      ["/.//evil.example", "/"],
      ["/x/..//evil.example", "/"],
      ["https://evil.example/", "/"],
      ["javascript:alert(1)", "/"],
      ["/\r\nSet-Cookie: a=b", "/"],
      ["/\t/evil.example", "/"],
      ["/\u{85}x", "/"],
      [`/${"x".repeat(5_000)}`, "/"],
      ["/desk/sign-in?return=/", "/"],
      ["/api/v1/work", "/"],
      ["/desktop", "/desktop"],
    ] as const) {
      const finished = await browser.signIn(signIn, { returnTo })
      expect(finished, returnTo).toMatchObject({ kind: "finished", location })
    }
  })
})

describe("signing in again", () => {
  const at = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds

  it("asks the provider to authenticate anew", async () => {
    const { signIn } = await beforeSignIn()
    const begun = await signIn.begin({ returnTo: "/", again: true, cookies: undefined })
    if (begun.kind === "failed") throw new Error(begun.reason)
    const { prompt, max_age } = Object.fromEntries(new URL(begun.location).searchParams)
    expect({ prompt, max_age }).toEqual({ prompt: "login", max_age: "0" })
  })

  it("is refused when the provider did not authenticate the person again, or does not say when", async () => {
    const { provider, signIn, browser } = await beforeSignIn()
    for (const auth_time of [at(-60), undefined]) {
      provider.lie = (claims) => ({ ...claims, auth_time })
      expect(await browser.signIn(signIn, { again: true })).toMatchObject({
        kind: "failed",
        status: 400,
        reason: "refused",
      })
      // Without `again`, an older authentication is accepted.
      expect(await browser.signIn(signIn)).toMatchObject({ kind: "finished" })
    }
  })

  it("tells when the person proved who they are", async () => {
    const { people, provider, signIn, browser } = await beforeSignIn()
    const auth_time = at(0)
    provider.lie = (claims) => ({ ...claims, auth_time })
    expect(await browser.signIn(signIn, { again: true })).toMatchObject({ kind: "finished" })
    expect(await people.identify(browser.cookies)).toMatchObject({ authenticatedAt: auth_time * 1_000 })
  })
})
