/** What a person without a role sends to the operator: on the page, in the log, and in the store. */
import { describe, expect, it } from "vitest"
import { findPerson } from "./administration.ts"
import { Browser, peopleForTest } from "./testing/browser.ts"
import { HostileProvider } from "./testing/hostile-provider.ts"

async function signInAs(claims: object, userInfo: object = {}) {
  const provider = await HostileProvider.start()
  provider.claims = { sub: "cleo-7", name: "Cleo Martin", ...claims }
  provider.userInfo = { ...userInfo }
  const { people, signIn, database } = await peopleForTest(provider, { groupsClaim: "teams" })
  const browser = new Browser()
  const result = await browser.signIn(signIn)
  if (result.kind === "failed") throw new Error(result.reason)
  const session = await people.identify(browser.cookies)
  if ("code" in session) throw new Error(session.code)
  const person = await findPerson(database, session.person.id)
  return { roles: session.person.roles, request: session.roleRequest, warning: result.warning, person }
}

describe("a person without a role", () => {
  it.each<[string, object, object, string, string]>([
    ["without the claim of groups", {}, {}, 'groups claim "teams" absent', "absent"],
    ["with an empty claim", { teams: [] }, {}, 'groups claim "teams" present and empty', "present"],
    [
      "with an empty claim in the userinfo answer",
      {},
      { teams: [] },
      'groups claim "teams" present and empty',
      "present",
    ],
    ["with other groups", { teams: ["guests", "press"] }, {}, 'groups claim "teams": guests, press', "present"],
  ])("%s reads it, and the log has the same text once", async (_, claims, userInfo, groups, stored) => {
    const { roles, request, warning, person } = await signInAs(claims, userInfo)
    expect(roles).toEqual([])
    expect(request).toBe(`name "Cleo Martin", subject "cleo-7", ${groups}`)
    expect(warning).toBe(`no role: ${request ?? ""}`)
    expect(person?.groupsClaim).toBe(stored)
  })

  it("names at most twenty groups", async () => {
    const teams = Array.from({ length: 25 }, (_, index) => `g${index}`)
    expect((await signInAs({ teams })).request).toMatch(/: g0, g1, .*g19, and 5 more$/)
  })
})

it("a person with a role has nothing to send", async () => {
  expect(await signInAs({ teams: ["finance"] })).toMatchObject({ request: undefined, warning: undefined })
})
