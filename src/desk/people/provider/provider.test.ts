import { answerOf } from "../../../platform/http/testing/answer-of.ts"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { Browser, peopleForTest } from "../testing/browser.ts"
import { CLIENT_SECRET, HostileProvider } from "../testing/hostile-provider.ts"
import { freePort } from "../../store/testing/free-port.ts"

const away = { kind: "failed", status: 502, reason: "provider_away" }
const invalid = { kind: "failed", status: 502, reason: "provider_invalid" }

async function start(changed: Parameters<typeof peopleForTest>[1] = {}) {
  const provider = await HostileProvider.start()
  return { provider, ...(await peopleForTest(provider, changed)), browser: new Browser() }
}

/** A loopback port where nothing listens. */

describe("a provider that is away", () => {
  it("at the start does not end the start, and the next sign-in asks again", async () => {
    const port = await freePort()
    const { signIn, warned } = await peopleForTest({ issuer: `http://127.0.0.1:${port}` })
    const failed = await signIn.begin({ returnTo: "/work", again: false, cookies: undefined })
    expect(failed).toMatchObject({ ...away, returnTo: "/work", codes: expect.stringContaining("ECONNREFUSED") })
    expect(warned).toEqual([expect.stringContaining("ECONNREFUSED")])
    await HostileProvider.start(port)
    expect(await new Browser().signIn(signIn)).toMatchObject({ kind: "finished" })
  })

  const doors = ["metadata", "token", "keys", "userinfo"] as const
  const silences = ["hang", "drip", "cut"] as const
  it.each(doors.flatMap((door) => silences.map((silence) => ({ door, silence }))))(
    "at $door with a $silence is 502 within its time, and the next sign-in works",
    async ({ door, silence }) => {
      const provider = await HostileProvider.start()
      const { answer } = provider
      provider.claims = { sub: "ada" }
      provider.answer = (asked, standard) => (asked === door ? silence : standard)
      const { signIn } = await peopleForTest(provider, { providerSeconds: 0.3 })
      const browser = new Browser()
      if (door === "metadata")
        expect(await signIn.begin({ returnTo: "/", again: false, cookies: undefined })).toMatchObject(away)
      else expect(await browser.signIn(signIn)).toMatchObject(away)
      provider.answer = answer
      expect(await browser.signIn(signIn)).toMatchObject({ kind: "finished" })
    },
  )
})

describe("a provider that answers wrongly", () => {
  type Spoil = (provider: HostileProvider) => void
  const answer =
    (door: string, body: unknown, status = 200, headers: Record<string, string> = {}): Spoil =>
    (provider) => {
      provider.answer = (asked, standard) => (asked === door ? { status, headers, body } : standard)
    }

  /** The right answer, and two megabytes more. */
  const padded =
    (door: string): Spoil =>
    (provider) => {
      provider.answer = (asked, standard) =>
        asked === door
          ? { ...standard, body: Object.assign({ padding: "x".repeat(2_000_000) }, standard.body) }
          : standard
    }

  it.each<[string, Spoil]>([
    ["HTML for a token", answer("token", "<html>", 200, { "Content-Type": "text/html" })],
    ["garbage for a token", answer("token", "{")],
    ["a list for a token", answer("token", [])],
    ["no ID token", answer("token", { access_token: "x", token_type: "Bearer" })],
    ["an ID token that is no text", answer("token", { access_token: "x", token_type: "Bearer", id_token: 1 })],
    ["500 for a token", answer("token", { error: "server_error" }, 500)],
    ["another error for a token", answer("token", { error: "unsupported_grant_type" }, 400)],
    ["a redirect for a token", answer("token", "", 302, { Location: "https://evil.example/" })],
    ["2 MB for a token", padded("token")],
    ["HTML for its keys", answer("keys", "<html>", 200, { "Content-Type": "text/html" })],
    ["no keys in its keys", answer("keys", {})],
    ["404 for its keys", answer("keys", {}, 404)],
    ["2 MB for its keys", padded("keys")],
    ["2 MB for userinfo", padded("userinfo")],
    ["somebody else's userinfo", answer("userinfo", { sub: "ben", groups: ["finance"] })],
    ["userinfo of nobody", answer("userinfo", { groups: ["finance"] })],
    ["401 for userinfo", answer("userinfo", {}, 401)],
    ["a redirect for userinfo", answer("userinfo", "", 302, { Location: "https://evil.example/" })],
  ])("%s: 502, and nobody is signed in", async (_, spoil) => {
    const { people, provider, signIn, browser } = await start()
    provider.claims = { sub: "ada" }
    spoil(provider)
    expect(await browser.signIn(signIn)).toMatchObject(invalid)
    expect(await people.identify(browser.cookies)).toMatchObject({ code: "PROXY_SIGNED_OUT" })
  })

  it("that refuses the desk's id or secret: 502, and the page names the administrator", async () => {
    const { signIn, provider, browser } = await start({ clientSecret: () => "wrong" })
    provider.secretIn = "header"
    expect(await browser.signIn(signIn)).toMatchObject({
      ...invalid,
      detail: expect.stringContaining("administrator"),
      codes: expect.stringContaining("OAUTH_WWW_AUTHENTICATE_CHALLENGE"),
    })
  })

  const issuerOf = ({ issuer }: HostileProvider) => issuer
  it.each<[string, (provider: HostileProvider) => Record<string, unknown>]>([
    ["another issuer", () => ({ issuer: "https://evil.example" })],
    ["no issuer", () => ({ issuer: undefined })],
    ["no address for the token", () => ({ token_endpoint: undefined })],
    ["no keys", () => ({ jwks_uri: undefined })],
    ["a script for an address", () => ({ authorization_endpoint: "javascript:alert(1)" })],
    ["plain http on another machine", () => ({ token_endpoint: "http://evil.example/token" })],
    ["an end-session address in the clear", () => ({ end_session_endpoint: "http://evil.example/end" })],
  ])("metadata with %s: 502", async (_, lie) => {
    const { provider, signIn } = await start()
    provider.answer = (door, standard) =>
      door === "metadata" && typeof standard.body === "object"
        ? { body: { ...standard.body, issuer: issuerOf(provider), ...lie(provider) } }
        : standard
    expect(await signIn.begin({ returnTo: "/", again: false, cookies: undefined })).toMatchObject(invalid)
  })
})

describe("an issuer that is not the one of OIDC_ISSUER", () => {
  it.each([
    ["/realm", "/realm/", "the provider's issuer ends with a slash, but OIDC_ISSUER doesn't"],
    ["/realm/", "/realm", "OIDC_ISSUER ends with a slash, but the provider's issuer doesn't"],
    ["/realm", "/other", "OIDC_ISSUER is not the issuer in the provider's metadata"],
  ])("OIDC_ISSUER %s, the provider %s", async (configured, named, words) => {
    const provider = await HostileProvider.start()
    provider.answer = (door, standard) =>
      door === "metadata" && typeof standard.body === "object"
        ? { body: { ...standard.body, issuer: provider.issuer + named } }
        : standard
    const { signIn, warned } = await peopleForTest({ issuer: provider.issuer + configured })
    const failed = await signIn.begin({ returnTo: "/", again: false, cookies: undefined })
    expect(failed).toMatchObject({ ...invalid, codes: expect.stringContaining(words) })
    expect(warned).toEqual([expect.stringContaining(words)])
    expect(JSON.stringify([failed, warned])).not.toContain("/realm")
  })
})

describe("the provider's keys", () => {
  it("are read again for an unknown key id, at most once a minute", async () => {
    const { provider, signIn, browser } = await start()
    await browser.signIn(signIn)
    expect(provider.asked.keys).toBe(1)
    await provider.rotate()
    const afterRotation = Date.now() + 61_000
    vi.useFakeTimers({ now: afterRotation, toFake: ["Date"] })
    onTestFinished(() => void vi.useRealTimers())
    expect(await browser.signIn(signIn)).toMatchObject({ kind: "finished" })
    expect(provider.asked.keys).toBe(2)
    provider.sign = (claims) => provider.signWith(claims, { kid: "unknown" })
    for (const _ of [1, 2, 3]) {
      expect(await browser.signIn(signIn)).toMatchObject({ kind: "failed", status: 400 })
      expect(
        await answerOf(signIn.backChannelLogout(await provider.logoutToken({ sub: "ada" }, { kid: "other" }))),
      ).toMatchObject({ status: 400 })
    }
    expect(provider.asked.keys).toBe(2)
  })
})

it("is told only codes of a failure", async () => {
  const { provider, signIn, browser } = await start({ clientSecret: () => CLIENT_SECRET })
  provider.secretIn = "header"
  provider.sign = (claims) => JSON.stringify(claims)
  const failures = [await browser.signIn(signIn)]
  provider.sign = (claims) => provider.signWith({ ...claims, nonce: "x" })
  failures.push(await browser.signIn(signIn))
  provider.answer = (door, standard) => (door === "token" ? { body: "canary-body" } : standard)
  failures.push(await browser.signIn(signIn))
  const said = JSON.stringify(failures)
  for (const secret of [...provider.secrets, CLIENT_SECRET, "canary", "ada", "Ada"]) expect(said).not.toContain(secret)
  expect(failures.map((failure) => (failure.kind === "failed" ? failure.codes : ""))).not.toContain("")
})
