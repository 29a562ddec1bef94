import { describe, expect, it } from "vitest"
import { operations } from "../../contract/operations.ts"
import { isAmong, parseAccess, rolesOf, type Identity } from "./access-file.ts"
import { operationsOf, roleFor, ROLES } from "../../contract/roles.ts"
import { FileFault } from "../../platform/reread-files.ts"

const EXAMPLE = {
  contact: "the finance desk, desk@example.com",
  roles: {
    reader: ["group:staff"],
    answerer: ["group:ops"],
    delegator: ["group:ops", "email:ben@example.com"],
    approver: ["group:finance", "subject:248289761001"],
  },
  rules: [
    {
      destination: "*@bank.example",
      approvers: ["group:cfo"],
      preventSelfApproval: true,
      maxAuthenticationAgeSeconds: 300,
    },
    { colleague: "analyst", preventSelfApproval: true },
  ],
}

const somebody: Identity = { issuer: "https://id.example", subject: "x", groups: [] }
const rolesFor = (identity: Partial<Identity>, file: object = EXAMPLE) =>
  rolesOf(parseAccess(JSON.stringify(file)), { ...somebody, ...identity })

describe("an access file", () => {
  it("says who has which role, which rules there are, and whom to ask", () => {
    const access = parseAccess(JSON.stringify(EXAMPLE))
    expect(access.contact).toBe("the finance desk, desk@example.com")
    expect(access.roles.delegator).toEqual([
      { kind: "group", name: "ops" },
      { kind: "email", address: "ben@example.com" },
    ])
    expect(access.rules).toEqual([
      { ...EXAMPLE.rules[0], approvers: [{ kind: "group", name: "cfo" }] },
      { colleague: "analyst", preventSelfApproval: true },
    ])
  })

  it("says in a rule by when to decide, and who is told of what has waited too long", () => {
    const rule = {
      decideWithin: "24h",
      remindBefore: "90m",
      escalate: { after: "45s", to: ["group:cfo", "mailbox:duty@example.com"] },
    }
    expect(parseAccess(JSON.stringify({ roles: {}, rules: [rule] })).rules).toEqual([
      {
        decideWithin: 86_400_000,
        remindBefore: 5_400_000,
        escalate: {
          after: 45_000,
          to: [
            { kind: "group", name: "cfo" },
            { kind: "mailbox", address: "duty@example.com" },
          ],
        },
      },
    ])
  })

  it("may leave out the contact, the rules and roles", () => {
    expect(parseAccess('{"roles":{"reader":["anyone"]}}')).toEqual({
      contact: null,
      roles: { reader: [{ kind: "anyone" }], answerer: [], delegator: [], approver: [] },
      rules: [],
    })
  })

  it.each([
    ["", "is not valid JSON"],
    ['{"canary', "is not valid JSON"],
    ["null", "its outermost object"],
    ["[]", "its outermost object"],
    ["{}", "has no roles"],
    ['{"roles":[]}', "roles"],
    ['{"roles":{},"canary":1}', "unknown key in its outermost object"],
    ['{"roles":{},"__proto__":{}}', "unknown key in its outermost object"],
    ['{"roles":{"canary":[]}}', "unknown key in roles"],
    ['{"roles":{},"rules":[{"canary":1}]}', "unknown key in rules[0]"],
    ['{"roles":{"reader":"group:canary"}}', "roles.reader"],
    ['{"roles":{"reader":["canary"]}}', "roles.reader[0]"],
    ['{"roles":{"reader":["anyone","group:"]}}', "roles.reader[1]"],
    ['{"roles":{"reader":["email:canary"]}}', "roles.reader[0]"],
    ['{"roles":{"reader":["Group:canary"]}}', "roles.reader[0]"],
    ['{"roles":{"reader":["anyone "]}}', "roles.reader[0]"],
    ['{"roles":{},"rules":{}}', "rules"],
    ['{"roles":{},"rules":[[]]}', "rules[0]"],
    ['{"roles":{},"rules":[{"approvers":[]}]}', "rules[0].approvers"],
    ['{"roles":{},"rules":[{"destination":""}]}', "rules[0].destination"],
    ['{"roles":{},"rules":[{"preventSelfApproval":"true"}]}', "rules[0].preventSelfApproval"],
    ['{"roles":{},"rules":[{"maxAuthenticationAgeSeconds":0}]}', "rules[0].maxAuthenticationAgeSeconds"],
    ['{"roles":{},"rules":[{"approvalsNeeded":1}]}', "rules[0].approvalsNeeded, which must be 2, 3, 4 or 5"],
    ['{"roles":{},"rules":[{"approvalsNeeded":6}]}', "rules[0].approvalsNeeded"],
    ['{"roles":{},"rules":[{"approvalsNeeded":"2"}]}', "rules[0].approvalsNeeded"],
    ['{"roles":{},"rules":[{"maxAuthenticationAgeSeconds":1.5}]}', "rules[0].maxAuthenticationAgeSeconds"],
    ['{"roles":{},"rules":[{"decideWithin":"0h"}]}', "rules[0].decideWithin"],
    ['{"roles":{},"rules":[{"decideWithin":"1.5h"}]}', "rules[0].decideWithin"],
    ['{"roles":{},"rules":[{"decideWithin":24}]}', "rules[0].decideWithin"],
    ['{"roles":{},"rules":[{"remindBefore":"1h"}]}', "rules[0]"],
    ['{"roles":{},"rules":[{"decideWithin":"1h","remindBefore":"60m"}]}', "rules[0]"],
    ['{"roles":{},"rules":[{"escalate":{"after":"1h"}}]}', "rules[0].escalate"],
    ['{"roles":{},"rules":[{"escalate":{"after":"1h","to":[]}}]}', "rules[0].escalate.to"],
    ['{"roles":{},"rules":[{"escalate":{"after":"1h","to":["canary"]}}]}', "rules[0].escalate.to[0]"],
    [
      '{"roles":{},"rules":[{"escalate":{"after":"1h","to":["mailbox:<canary@b.example>"]}}]}',
      "rules[0].escalate.to[0], which must be a member, or mailbox:ADDRESS",
    ],
    [
      String.raw`{"roles":{},"rules":[{"escalate":{"after":"1h","to":["mailbox:canary\u0001@b.example"]}}]}`,
      "escalate.to[0]",
    ],
    ['{"roles":{"reader":["mailbox:canary@example.com"]}}', "roles.reader[0]"],
    ['{"roles":{},"contact":""}', "contact"],
    ['{"roles":{"reader":["anyone"],"reader":[]}}', "the same key twice"],
    ['{"roles":{},"rules":[{"approvers":["group:cfo"]}],"rules":[]}', "the same key twice"],
  ])("%s is refused, and the error names the place and no content", (text, where) => {
    const parse = () => parseAccess(text)
    expect(parse).toThrow(FileFault)
    expect(parse).toThrow(where)
    expect(parse).not.toThrow(/canary/)
  })
})

describe("a member", () => {
  it.each<[string, Partial<Identity>, boolean]>([
    ["anyone", {}, true],
    ["group:staff", { groups: ["staff"] }, true],
    ["group:staff", { groups: ["Staff", "staff2", "staf"] }, false],
    ["group:a:b c", { groups: ["a:b c"] }, true],
    ["group:staff", { subject: "staff", email: "staff" }, false],
    ["subject:248289761001", { subject: "248289761001" }, true],
    ["subject:Ada", { subject: "ada" }, false],
    ["subject: ada", { subject: "ada" }, false],
    ["email:ben@example.com", { email: "Ben@Example.COM" }, true],
    ["email:BEN@example.com", { email: "ben@example.com" }, true],
    ["email:ben@example.com", {}, false],
    ["email:ben@bank.example", { email: "ben@ban\u212a.example" }, false],
    ["email:ben@example.com", { email: "ben@example.com.evil" }, false],
  ])("%s and %j: %j", (text, identity, expected) => {
    const { reader } = parseAccess(JSON.stringify({ roles: { reader: [text] } })).roles
    expect(isAmong(reader, { ...somebody, ...identity })).toBe(expected)
  })
})

describe("a role", () => {
  it("is given to the members that the file names, and to nobody else", () => {
    expect(rolesFor({})).toEqual([])
    expect(rolesFor({ groups: ["staff"] })).toEqual(["reader"])
    expect(rolesFor({ groups: ["ops"] })).toEqual(["answerer", "delegator"])
    expect(rolesFor({ email: "ben@example.com" })).toEqual(["delegator"])
    expect(rolesFor({ groups: ["finance", "staff"] })).toEqual(["reader", "approver"])
    expect(rolesFor({}, { roles: { approver: ["anyone"] } })).toEqual(["approver"])
  })

  it("has the reader's operations and its own", () => {
    expect(operationsOf([])).toEqual([])
    expect(operationsOf(["reader"])).toHaveLength(7)
    expect(operationsOf(["answerer"])).toHaveLength(8)
    expect(operationsOf(["delegator"])).toHaveLength(11)
    expect(operationsOf(["approver"])).toHaveLength(8)
    expect(new Set(operationsOf(ROLES))).toEqual(new Set(Object.keys(operations)))
    expect(operationsOf(ROLES)).toHaveLength(13)
  })

  it("is named for every operation", () => {
    expect(roleFor("listWork")).toBe("reader")
    expect(roleFor("resolveWorkAttention")).toBe("answerer")
    expect(roleFor("getInputUpload")).toBe("delegator")
    expect(roleFor("resolveWorkApproval")).toBe("approver")
  })
})
