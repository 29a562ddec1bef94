import { createHmac } from "node:crypto"
import type { JWTPayload } from "jose"
import { describe, expect, it } from "vitest"
import type { People } from "./people.ts"
import { signedOut } from "./refusals.ts"
import { Browser, PUBLIC_URL, peopleForTest } from "./testing/browser.ts"
import { CLIENT_ID, CLIENT_SECRET, HostileProvider } from "./testing/hostile-provider.ts"

async function start(changed: Parameters<typeof peopleForTest>[1] = {}) {
  const provider = await HostileProvider.start()
  return { provider, ...(await peopleForTest(provider, changed)), browser: new Browser() }
}

async function personOf(people: People, browser: Browser) {
  const session = await people.identify(browser.cookies)
  return "code" in session ? session.code : session.person
}

describe("a sign-in", () => {
  it("leads to the provider with PKCE, state and nonce, and back to the address that was asked for", async () => {
    const { people, signIn, browser } = await start()
    const begun = await signIn.begin({ returnTo: "/approvals?item=x", again: false })
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

  it("at plain http names the cookies after the port, without Secure", async () => {
    const { signIn } = await start({ publicUrl: new URL("http://localhost:4400/") })
    const begun = await signIn.begin({ returnTo: undefined, again: false })
    expect(begun.setCookies).toEqual([
      expect.stringMatching(
        /^workdesk-4400-sign-in-[\w-]{12}=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ])
  })

  it.each(["header", "body"] as const)("sends a secret in the %s where the provider wants it so", async (secretIn) => {
    const { provider, signIn, browser } = await start({ clientSecret: { text: CLIENT_SECRET } })
    provider.secretIn = secretIn
    for (const _ of [1, 2]) expect(await browser.signIn(signIn)).toMatchObject({ kind: "finished" })
    // What worked is tried first the next time.
    expect(provider.asked.token).toBe(secretIn === "header" ? 2 : 3)
  })

  it("takes two tabs at the same time", async () => {
    const { signIn, browser } = await start()
    const [one, other] = [await browser.visitProvider(signIn), await browser.visitProvider(signIn)]
    expect(await browser.comeBack(signIn, one)).toMatchObject({ kind: "finished" })
    expect(await browser.comeBack(signIn, other)).toMatchObject({ kind: "finished" })
  })

  it("gives the same id to the same person, and another to everybody else", async () => {
    const { provider, signIn } = await start()
    const idOf = async (sub: string) => {
      provider.claims = { sub, name: "Ada Lovelace", email: "ada@example.com", email_verified: true }
      const result = await new Browser().signIn(signIn)
      return result.kind === "finished" ? result.personId : result.reason
    }
    const [ada, again, other] = [await idOf("ada"), await idOf("ada"), await idOf("Ada")]
    expect(again).toBe(ada)
    expect(other).not.toBe(ada)
  })

  it("leads back to a path of the app alone", async () => {
    const { signIn, browser } = await start()
    for (const [returnTo, location] of [
      ["/work/a.b?x=1#y", "/work/a.b?x=1#y"],
      ["/work?q=é", "/work?q=%C3%A9"],
      ["/", "/"],
      ["", "/"],
      ["work", "/"],
      ["//evil.example", "/"],
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

describe("an attack on the redirect back", () => {
  const refused = { kind: "failed", status: 400 }

  it.each([
    ["no state", (query: URLSearchParams) => query.delete("state")],
    ["a foreign state", (query: URLSearchParams) => query.set("state", "A".repeat(43))],
    ["two states", (query: URLSearchParams) => query.append("state", "A".repeat(43))],
    ["no iss, which the provider announces", (query: URLSearchParams) => query.delete("iss")],
    ["a wrong iss", (query: URLSearchParams) => query.set("iss", "https://evil.example")],
    ["two codes", (query: URLSearchParams) => query.append("code", "other")],
    ["no code", (query: URLSearchParams) => query.delete("code")],
    ["a foreign code", (query: URLSearchParams) => query.set("code", "other")],
    ["an error", (query: URLSearchParams) => query.set("error", "access_denied")],
    ["an ID token", (query: URLSearchParams) => query.set("id_token", "a.b.c")],
  ])("with %s is refused, and the session that exists stays", async (_, change) => {
    const { people, provider, signIn, browser } = await start()
    await browser.signIn(signIn)
    const before = browser.session
    provider.redirect = change
    expect(await browser.signIn(signIn)).toMatchObject(refused)
    expect(browser.session).toBe(before)
    expect(await personOf(people, browser)).toMatchObject({ name: "Ada Lovelace" })
  })

  it("that is used twice is refused, also where the provider takes its code twice", async () => {
    const { provider, signIn, browser } = await start()
    provider.keepsCodes = true
    const query = await browser.visitProvider(signIn)
    const cookies = browser.cookies
    const both = await Promise.all([signIn.finish({ query, cookies }), signIn.finish({ query, cookies })])
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(["failed", "finished"])
    expect(await signIn.finish({ query, cookies })).toMatchObject({ ...refused, reason: "state_unknown" })
  })

  it("in another browser is refused, and the right one still signs in", async () => {
    const { signIn, browser } = await start()
    const query = await browser.visitProvider(signIn)
    const victim = new Browser()
    await victim.visitProvider(signIn)
    expect(await victim.comeBack(signIn, query)).toMatchObject({ ...refused, reason: "other_browser" })
    expect(await new Browser().comeBack(signIn, query)).toMatchObject({ ...refused, reason: "other_browser" })
    expect(await browser.comeBack(signIn, query)).toMatchObject({ kind: "finished" })
  })

  it("with another sign-in's code does not get through PKCE and nonce", async () => {
    const { signIn, browser } = await start()
    const attacker = new URLSearchParams(await new Browser().visitProvider(signIn))
    const own = new URLSearchParams(await browser.visitProvider(signIn))
    own.set("code", attacker.get("code") ?? "")
    expect(await browser.comeBack(signIn, own.toString())).toMatchObject({ ...refused, reason: "code_refused" })
  })

  it("with a planted cookie beside the browser's own is refused", async () => {
    const { signIn, browser } = await start()
    const query = await browser.visitProvider(signIn)
    const [name] = browser.names
    const cookies = `${name}=${"A".repeat(43)}; ${browser.cookies}`
    expect(await signIn.finish({ query, cookies })).toMatchObject(refused)
  })

  it("after ten minutes is refused", async () => {
    const { signIn, browser, database } = await start()
    const query = await browser.visitProvider(signIn)
    await database.write("UPDATE sign_in SET expires_at = expires_at - 600000")
    expect(await browser.comeBack(signIn, query)).toMatchObject({ ...refused, reason: "state_unknown" })
  })

  it("cannot be made from what the store holds", async () => {
    const { signIn, browser, database } = await start()
    const query = new URLSearchParams(await browser.visitProvider(signIn))
    const rows = JSON.stringify(await database.read("SELECT * FROM sign_in"))
    expect(rows).not.toContain(query.get("state"))
    for (const value of browser.cookies.split("=")) expect(rows).not.toContain(value)
    expect(rows).not.toContain("verifier")
  })
})

describe("fixation", () => {
  it("fails: each sign-in has a new value, and the older session that came along ends", async () => {
    const { people, provider, signIn, browser } = await start()
    await browser.signIn(signIn)
    const older = `__Host-workdesk=${browser.session}`
    expect(await people.identify(older)).toMatchObject({ person: { name: "Ada Lovelace" } })
    provider.claims = { sub: "ben", name: "Ben" }
    await browser.signIn(signIn)
    expect(await people.identify(older)).toBe(signedOut)
    expect(await personOf(people, browser)).toMatchObject({ name: "Ben" })
  })

  it("with a value that an attacker chose does nothing", async () => {
    const { people, signIn } = await start()
    const chosen = "B".repeat(43)
    const query = await new Browser().visitProvider(signIn)
    await signIn.finish({ query, cookies: `__Host-workdesk=${chosen}` })
    expect(await people.identify(`__Host-workdesk=${chosen}`)).toBe(signedOut)
  })
})

describe("an ID token is refused", () => {
  const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const hour = 3_600
  const without = (claims: JWTPayload, name: string) =>
    Object.fromEntries(Object.entries(claims).filter(([claim]) => claim !== name))

  it.each<[string, (provider: HostileProvider) => void]>([
    ["with alg none", (provider) => (provider.sign = (claims) => `${base64({ alg: "none" })}.${base64(claims)}.`)],
    [
      "with HS256 and the public key as the secret",
      (provider) =>
        (provider.sign = async (claims) => {
          const text = `${base64({ alg: "HS256", kid: provider.keys[0]?.kid })}.${base64(claims)}`
          return `${text}.${createHmac("sha256", await provider.publicKeyText())
            .update(text)
            .digest("base64url")}`
        }),
    ],
    [
      "with HS256 and the client's id as the secret",
      (provider) =>
        (provider.sign = (claims) => {
          const text = `${base64({ alg: "HS256" })}.${base64(claims)}`
          return `${text}.${createHmac("sha256", CLIENT_ID).update(text).digest("base64url")}`
        }),
    ],
    [
      "signed by another key of the same id",
      (provider) =>
        (provider.sign = async (claims) => {
          const other = await HostileProvider.start()
          await other.rotate()
          return other.signWith(claims, { kid: provider.keys[0]?.kid ?? "" })
        }),
    ],
    [
      "changed after it was signed",
      (provider) =>
        (provider.sign = async (claims) => {
          const [header, , signature] = (await provider.signWith(claims)).split(".")
          return `${header}.${base64({ ...claims, sub: "boss" })}.${signature}`
        }),
    ],
    ["for another audience", (provider) => (provider.lie = (claims) => ({ ...claims, aud: "other" }))],
    ["for several audiences", (provider) => (provider.lie = (claims) => ({ ...claims, aud: [CLIENT_ID, "other"] }))],
    ["of another issuer", (provider) => (provider.lie = (claims) => ({ ...claims, iss: "https://evil.example" }))],
    ["that has expired", (provider) => (provider.lie = ({ exp = 0, ...claims }) => ({ ...claims, exp: exp - hour }))],
    ["that never expires", (provider) => (provider.lie = (claims) => without(claims, "exp"))],
    ["with another nonce", (provider) => (provider.lie = (claims) => ({ ...claims, nonce: "other" }))],
    ["without a nonce", (provider) => (provider.lie = (claims) => without(claims, "nonce"))],
    ["without a subject", (provider) => (provider.lie = (claims) => without(claims, "sub"))],
    ["with an empty subject", (provider) => (provider.claims = { sub: "" })],
    ["with U+0000 in its subject", (provider) => (provider.claims = { sub: "a\0b" })],
    ["proved in the future", (provider) => (provider.claims = { sub: "ada", auth_time: Date.now() })],
    ["that is no token", (provider) => (provider.sign = () => "no token")],
    ["with an unknown key", (provider) => (provider.sign = (claims) => provider.signWith(claims, { kid: "unknown" }))],
  ])("%s", async (_, spoil) => {
    const { people, provider, signIn, browser } = await start()
    spoil(provider)
    const result = await browser.signIn(signIn)
    expect(result).toMatchObject({ kind: "failed", status: 400, reason: "id_token_refused" })
    expect(await people.identify(browser.cookies)).toBe(signedOut)
  })
})

describe("signing in again", () => {
  const at = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds

  it("asks the provider to authenticate anew", async () => {
    const { signIn } = await start()
    const begun = await signIn.begin({ returnTo: "/", again: true })
    if (begun.kind === "failed") throw new Error(begun.reason)
    const { prompt, max_age } = Object.fromEntries(new URL(begun.location).searchParams)
    expect({ prompt, max_age }).toEqual({ prompt: "login", max_age: "0" })
  })

  it("is refused where the provider did not authenticate anew, or does not say when", async () => {
    const { provider, signIn, browser } = await start()
    for (const auth_time of [at(-60), undefined]) {
      provider.lie = (claims) => ({ ...claims, auth_time })
      expect(await browser.signIn(signIn, { again: true })).toMatchObject({
        kind: "failed",
        status: 400,
        reason: "not_authenticated_anew",
      })
      // Where nobody asked for a new one, an old one will do.
      expect(await browser.signIn(signIn)).toMatchObject({ kind: "finished" })
    }
  })

  it("tells when the person proved who they are", async () => {
    const { people, provider, signIn, browser } = await start()
    const auth_time = at(0)
    provider.lie = (claims) => ({ ...claims, auth_time })
    expect(await browser.signIn(signIn, { again: true })).toMatchObject({ kind: "finished" })
    expect(await people.identify(browser.cookies)).toMatchObject({ authenticatedAt: auth_time * 1_000 })
  })
})
