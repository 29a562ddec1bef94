import { answerOf } from "../../platform/http/testing/answer-of.ts"
import type { JWTPayload } from "jose"
import { describe, expect, it } from "vitest"
import { Browser, peopleForTest } from "./testing/browser.ts"
import { CLIENT_ID, HostileProvider } from "./testing/hostile-provider.ts"
import { signedIn, whenTold } from "./testing/signed-in.ts"
import { signedOut } from "../../platform/http/refusals.ts"

describe("back-channel logout", () => {
  it("ends the sessions of a subject, and of nobody else", async () => {
    const { people, provider, browser, signIn, session } = await signedIn()
    const second = new Browser()
    await second.signIn(signIn)
    provider.claims = { sub: "ben" }
    const ben = new Browser()
    await ben.signIn(signIn)
    const told = whenTold(people, session)
    await signIn.backChannelLogout(await provider.logoutToken({ sub: "ada" }))
    await told
    expect(await people.identify(browser.cookies)).toBe(signedOut)
    expect(await people.identify(second.cookies)).toBe(signedOut)
    expect(await people.identify(ben.cookies)).toMatchObject({ person: { name: "ben" } })
  })

  it("ends the sessions of a sid alone", async () => {
    const provider = await HostileProvider.start()
    const { people, signIn } = await peopleForTest(provider)
    const [one, other] = [new Browser(), new Browser()]
    provider.claims = { sub: "ada", sid: "one" }
    await one.signIn(signIn)
    provider.claims = { sub: "ada", sid: "other" }
    await other.signIn(signIn)
    await signIn.backChannelLogout(await provider.logoutToken({ sid: "one", sub: "ada" }))
    expect(await people.identify(one.cookies)).toBe(signedOut)
    expect(await people.identify(other.cookies)).toMatchObject({ person: { name: "ada" } })
  })

  it("accepts a subject without a session, an audience among others, and a token without a type", async () => {
    const { provider, signIn } = await signedIn()
    for (const token of [
      await provider.logoutToken({ sub: "nobody" }),
      await provider.logoutToken({ sub: "nobody", aud: ["other", CLIENT_ID] }),
      await provider.logoutToken({ sub: "nobody" }, {}),
    ]) {
      await signIn.backChannelLogout(token)
    }
  })

  /** Removes a claim: JSON has no member that is undefined. */
  const none = (claim: string): JWTPayload => Object.fromEntries([[claim, undefined]])
  const now = () => Math.floor(Date.now() / 1_000)
  const forgeries: readonly [
    string,
    (provider: HostileProvider) => Promise<string | undefined> | string | undefined,
  ][] = [
    ["no token", () => undefined],
    ["no JWT", () => "x"],
    ["alg none", (provider) => unsigned(provider)],
    [
      "another key",
      async (provider) => {
        const other = await HostileProvider.start()
        await other.rotate()
        return other.logoutToken({ sub: "ada", iss: provider.issuer }, { kid: provider.keys[0]?.kid ?? "" })
      },
    ],
    ["another audience", (provider) => provider.logoutToken({ sub: "ada", aud: "other" })],
    ["another issuer", (provider) => provider.logoutToken({ sub: "ada", iss: "https://evil.example" })],
    ["an end in the past", (provider) => provider.logoutToken({ sub: "ada", exp: now() - 60 })],
    ["a beginning in the future", (provider) => provider.logoutToken({ sub: "ada", iat: now() + 600 })],
    ["no exp", (provider) => provider.logoutToken({ sub: "ada", ...none("exp") })],
    ["no iat", (provider) => provider.logoutToken({ sub: "ada", ...none("iat") })],
    ["no jti", (provider) => provider.logoutToken({ sub: "ada", ...none("jti") })],
    ["an empty jti", (provider) => provider.logoutToken({ sub: "ada", jti: "" })],
    ["a nonce", (provider) => provider.logoutToken({ sub: "ada", nonce: "x" })],
    ["no events", (provider) => provider.logoutToken({ sub: "ada", events: undefined })],
    ["another event", (provider) => provider.logoutToken({ sub: "ada", events: { other: {} } })],
    ["neither sid nor sub", (provider) => provider.logoutToken({})],
    ["a sid that is no text", (provider) => provider.logoutToken({ sid: 1 })],
    ["another type", (provider) => provider.logoutToken({ sub: "ada" }, { typ: "at+jwt" })],
    ["an ID token", (provider) => provider.secrets.find((secret) => secret.split(".").length === 3)],
  ]

  it("refuses every token that is not this provider's logout token for this desk, and ends nothing", async () => {
    const { people, provider, browser, signIn } = await signedIn()
    for (const [name, make] of forgeries) {
      const refusal = await answerOf(signIn.backChannelLogout(await make(provider)))
      expect(refusal, name).toMatchObject({ status: 400, code: "PROXY_LOGOUT_TOKEN_REFUSED" })
    }
    expect(await people.identify(browser.cookies)).toMatchObject({ person: { name: "Ada Lovelace" } })
  })

  it("is refused when a token comes again: only a new token ends a session that has begun since", async () => {
    const { people, provider, browser, signIn } = await signedIn()
    const token = await provider.logoutToken({ sub: "ada" })
    const both = await Promise.all([1, 2].map(() => answerOf(signIn.backChannelLogout(token))))
    expect(both.filter((refusal) => refusal === undefined)).toHaveLength(1)
    await browser.signIn(signIn)
    expect(await answerOf(signIn.backChannelLogout(token))).toMatchObject({ status: 400 })
    expect(await people.identify(browser.cookies)).toMatchObject({ person: { name: "Ada Lovelace" } })
  })

  async function unsigned(provider: HostileProvider): Promise<string> {
    const [, claims] = (await provider.logoutToken({ sub: "ada" })).split(".")
    return `${Buffer.from('{"alg":"none"}').toString("base64url")}.${claims}.`
  }
})
