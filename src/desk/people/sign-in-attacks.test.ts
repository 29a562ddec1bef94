import { createHmac } from "node:crypto"
import type { JWTPayload } from "jose"
import { describe, expect, it } from "vitest"
import type { People } from "./people-interface.ts"
import { Browser } from "./testing/browser.ts"
import { CLIENT_ID, HostileProvider } from "./testing/hostile-provider.ts"
import { beforeSignIn } from "./testing/signed-in.ts"
import { signedOut } from "../../platform/http/refusals.ts"

async function personOf(people: People, browser: Browser) {
  const session = await people.identify(browser.cookies)
  return "code" in session ? session.code : session.person
}

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
  ])("with %s is refused, and the browser's older session stays", async (_, change) => {
    const { people, provider, signIn, browser } = await beforeSignIn()
    await browser.signIn(signIn)
    const before = browser.session
    provider.redirect = change
    expect(await browser.signIn(signIn)).toMatchObject(refused)
    expect(browser.session).toBe(before)
    expect(await personOf(people, browser)).toMatchObject({ name: "Ada Lovelace" })
  })

  it("that is used twice is refused, even when the provider accepts its code twice", async () => {
    const { provider, signIn, browser } = await beforeSignIn()
    provider.keepsCodes = true
    const query = await browser.visitProvider(signIn)
    const cookies = browser.cookies
    const both = await Promise.all([signIn.finish({ query, cookies }), signIn.finish({ query, cookies })])
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(["failed", "finished"])
    expect(await signIn.finish({ query, cookies })).toMatchObject({ ...refused, reason: "state_unknown" })
  })

  it("in another browser is refused, and the browser that began still signs in", async () => {
    const { signIn, browser } = await beforeSignIn()
    const query = await browser.visitProvider(signIn)
    const victim = new Browser()
    await victim.visitProvider(signIn)
    expect(await victim.comeBack(signIn, query)).toMatchObject({ ...refused, reason: "state_unknown" })
    expect(await new Browser().comeBack(signIn, query)).toMatchObject({ ...refused, reason: "state_unknown" })
    expect(await browser.comeBack(signIn, query)).toMatchObject({ kind: "finished" })
  })

  it("with the code of another sign-in fails at PKCE and nonce", async () => {
    const { signIn, browser } = await beforeSignIn()
    const attacker = new URLSearchParams(await new Browser().visitProvider(signIn))
    const own = new URLSearchParams(await browser.visitProvider(signIn))
    own.set("code", attacker.get("code") ?? "")
    expect(await browser.comeBack(signIn, own.toString())).toMatchObject({ ...refused, reason: "refused" })
  })

  it("with a planted cookie beside the browser's own is refused", async () => {
    const { signIn, browser } = await beforeSignIn()
    const query = await browser.visitProvider(signIn)
    const [name] = browser.names
    const cookies = `${name}=${"A".repeat(43)}; ${browser.cookies}`
    expect(await signIn.finish({ query, cookies })).toMatchObject(refused)
  })

  it("after ten minutes is refused", async () => {
    const { signIn, browser, database } = await beforeSignIn()
    const query = await browser.visitProvider(signIn)
    await database.write("UPDATE sign_in SET expires_at = expires_at - 600000")
    expect(await browser.comeBack(signIn, query)).toMatchObject({ ...refused, reason: "state_unknown" })
  })

  it("cannot be forged with the content of the store", async () => {
    const { signIn, browser, database } = await beforeSignIn()
    const query = new URLSearchParams(await browser.visitProvider(signIn))
    const rows = JSON.stringify(await database.read("SELECT * FROM sign_in"))
    expect(rows).not.toContain(query.get("state"))
    for (const value of browser.cookies.split("=")) expect(rows).not.toContain(value)
    expect(rows).not.toContain("verifier")
  })
})

describe("fixation", () => {
  it("fails: each sign-in sets a new value, and the browser's older session ends", async () => {
    const { people, provider, signIn, browser } = await beforeSignIn()
    await browser.signIn(signIn)
    const older = `__Host-workdesk=${browser.session}`
    expect(await people.identify(older)).toMatchObject({ person: { name: "Ada Lovelace" } })
    provider.claims = { sub: "ben", name: "Ben" }
    await browser.signIn(signIn)
    expect(await people.identify(older)).toBe(signedOut)
    expect(await personOf(people, browser)).toMatchObject({ name: "Ben" })
  })

  it("fails at the sign-in of another tab too: the session of the moment when it began ends", async () => {
    const { people, signIn, browser } = await beforeSignIn()
    await browser.signIn(signIn)
    const query = await browser.visitProvider(signIn)
    const older = browser.cookies
    await browser.signIn(signIn)
    expect(await browser.comeBack(signIn, query)).toMatchObject({ kind: "finished" })
    expect(await people.identify(older)).toBe(signedOut)
  })

  it("of a sign-in that fails ends no session", async () => {
    const { people, signIn, browser } = await beforeSignIn()
    await browser.signIn(signIn)
    const query = await browser.visitProvider(signIn)
    expect(await browser.comeBack(signIn, `${query}&code=other`)).toMatchObject({ kind: "failed" })
    expect(await personOf(people, browser)).toMatchObject({ name: "Ada Lovelace" })
  })

  it("with a value that an attacker chose does nothing", async () => {
    const { people, signIn } = await beforeSignIn()
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
    const { people, provider, signIn, browser } = await beforeSignIn()
    spoil(provider)
    const result = await browser.signIn(signIn)
    expect(result).toMatchObject({ kind: "failed", status: 400, reason: "refused" })
    expect(await people.identify(browser.cookies)).toBe(signedOut)
  })
})
