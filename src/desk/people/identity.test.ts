import { describe, expect, it } from "vitest"
import { EMAIL_VERIFIED_INVALID } from "./identity.ts"
import { Browser, peopleForTest } from "./testing/browser.ts"
import { HostileProvider } from "./testing/hostile-provider.ts"

const ACCESS = { roles: { reader: ["anyone"], approver: ["group:finance", "email:ada@example.com"] } }

/** Signs somebody in with these claims in the ID token and in the userinfo answer. */
async function signInAs(claims: object, userInfo: object = {}, groupsClaim = "groups") {
  const provider = await HostileProvider.start()
  provider.claims = { sub: "ada", ...claims }
  provider.userInfo = { ...userInfo }
  const { people, signIn, database } = await peopleForTest(provider, { access: ACCESS, groupsClaim })
  const browser = new Browser()
  const result = await browser.signIn(signIn)
  if (result.kind === "failed") return { failed: result, provider, database }
  const session = await people.identify(browser.cookies)
  if ("code" in session) throw new Error(session.code)
  const { warning } = result
  return { person: session.person, groups: session.identity.groups, warning, provider, database }
}

/** All claims but the groups. */
const WHOLE = { name: "Ada", email: "ada@example.com", email_verified: true }

describe("groups", () => {
  it.each<[string, object, object, readonly string[]]>([
    ["in the ID token", { groups: ["finance"] }, {}, ["finance"]],
    ["in the userinfo answer", {}, { groups: ["finance"] }, ["finance"]],
    ["in both: the ID token counts", { groups: ["a"] }, { groups: ["finance"] }, ["a"]],
    ["null in the ID token", { groups: null }, { groups: ["finance"] }, ["finance"]],
    ["null in an ID token with all else", { ...WHOLE, groups: null }, { groups: ["finance"] }, ["finance"]],
    ["null in both", { groups: null }, { groups: null }, []],
    ["as one name", { groups: "finance" }, {}, ["finance"]],
    ["twice", { groups: ["finance", "finance"] }, {}, ["finance"]],
    ["none", { groups: [] }, { groups: ["finance"] }, []],
    ["nowhere", {}, {}, []],
  ])("%s", async (_, claims, userInfo, expected) => {
    expect(await signInAs(claims, userInfo)).toMatchObject({ groups: expected })
  })

  it("are in the claim that the environment names", async () => {
    expect(await signInAs({ groups: ["a"], roles: ["finance"] }, {}, "roles")).toMatchObject({ groups: ["finance"] })
    expect(await signInAs({ groups: ["a"] }, {}, "https://id.example/groups")).toMatchObject({ groups: [] })
  })

  it("are read from the userinfo answer only when the ID token does not have every claim", async () => {
    expect((await signInAs({ ...WHOLE, groups: [] })).provider.asked.userinfo).toBe(0)
    expect((await signInAs({ groups: [] })).provider.asked.userinfo).toBe(1)
  })

  it.each<[string, object, object]>([
    ["in the ID token", { _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint: "https://x" } } }, {}],
    ["in the userinfo answer", {}, { _claim_names: { groups: "src1" } }],
    ["beside some that are sent", { groups: ["finance"], _claim_names: { groups: "src1" } }, {}],
  ])("by reference %s are refused in plain words, and nobody becomes a reader", async (_, claims, userInfo) => {
    const { failed, database } = await signInAs(claims, userInfo)
    expect(failed).toMatchObject({ status: 400, reason: "groups_by_reference" })
    expect(failed?.detail).toContain("more groups than the identity provider sends")
    expect(await database.read("SELECT * FROM session")).toEqual([])
  })

  it("by reference of another claim do not matter", async () => {
    expect(await signInAs({ _claim_names: { address: "src1" }, groups: ["finance"] })).toMatchObject({
      groups: ["finance"],
    })
  })

  it.each([[{ finance: {} }], [["finance", 1]], [7], [true]])(
    "in the form %j are refused in plain words",
    async (groups) => {
      const { failed } = await signInAs({ groups })
      expect(failed).toMatchObject({ status: 400, reason: "groups_invalid" })
    },
  )
})

describe("an address", () => {
  it.each<[string, object, object, string | undefined]>([
    ["that is verified", { email: "Ada@Example.com", email_verified: true }, {}, "Ada@Example.com"],
    ["in the userinfo answer", {}, { email: "ada@example.com", email_verified: true }, "ada@example.com"],
    ["that is not verified", { email: "ada@example.com", email_verified: false }, {}, undefined],
    ["of which nothing is said", { email: "ada@example.com" }, {}, undefined],
    ["that is verified in words", { email: "ada@example.com", email_verified: "true" }, {}, undefined],
    [
      "that is verified elsewhere",
      { email: "ada@example.com" },
      { email: "other@example.com", email_verified: true },
      "other@example.com",
    ],
    [
      "in the ID token, verified by the userinfo answer",
      { email: "ada@example.com" },
      { email_verified: true },
      undefined,
    ],
  ])("%s", async (_, claims, userInfo, email) => {
    const { person } = await signInAs(claims, userInfo)
    expect(person?.email).toBe(email)
    expect(person?.roles.includes("approver")).toBe(email?.toLowerCase() === "ada@example.com")
  })
})

describe("email_verified", () => {
  const claims = { ...WHOLE, groups: [] }

  it.each<[string, object]>([
    ["only in the userinfo answer", { ...claims, email_verified: undefined }],
    ["in words in the ID token", { ...claims, email_verified: "true" }],
  ])("%s is asked for there", async (_, idToken) => {
    const { person, warning } = await signInAs(idToken, { email: "ada@example.com", email_verified: true })
    expect([person?.email, warning]).toEqual(["ada@example.com", undefined])
  })

  it.each([["true"], [1], ["false"]])("that is %j leaves a warning", async (email_verified) => {
    const { person, warning } = await signInAs({ ...claims, email_verified })
    expect([person?.email, warning]).toEqual([undefined, EMAIL_VERIFIED_INVALID])
    expect((await signInAs({}, { email: "ada@example.com", email_verified })).warning).toBe(EMAIL_VERIFIED_INVALID)
  })

  it.each([[true], [false], [null], [undefined]])("that is %j leaves none", async (email_verified) => {
    expect((await signInAs({ ...claims, email_verified })).warning).toBeUndefined()
  })
})

describe("a name", () => {
  it.each<[string, object, object, string]>([
    ["is the person's", { name: "Ada Lovelace", preferred_username: "ada" }, {}, "Ada Lovelace"],
    ["can be in the userinfo answer", {}, { name: "Ada Lovelace" }, "Ada Lovelace"],
    ["is else the user's name", { preferred_username: "ada.l" }, {}, "ada.l"],
    ["is else the verified address", { email: "ada@example.com", email_verified: true }, {}, "ada@example.com"],
    ["is else the subject", { name: " \n", email: "ada@example.com" }, {}, "ada"],
    ["has no line break", { name: "Ada\r\nLovelace\u0000" }, {}, "Ada Lovelace"],
    ["is well-formed", { name: "Ada \ud800" }, {}, "Ada \ufffd"],
    ["is no document", { name: "x".repeat(5_000) }, {}, "x".repeat(200)],
  ])("%s", async (_, claims, userInfo, name) => {
    expect((await signInAs(claims, userInfo)).person?.name).toBe(name)
  })
})
