import { expect, test } from "vitest"
import type { VisibilityReason } from "../../contract/desk-work.ts"
import { type Access, parseAccess } from "./access-file.ts"
import {
  isForOverseersOnly,
  isOverseer,
  mayDecide,
  teamsOf,
  viewerOf,
  viewerOfSession,
  waysToSee,
  whySees,
  type WorkFacts,
} from "./visibility.ts"

const ROLES = { reader: ["group:staff"], answerer: ["group:ops"], approver: ["group:finance", "group:cfo"] }
const TEAMS = [
  { name: "Finance", members: ["group:finance"], colleagues: ["analyst*"] },
  { name: "Operations", members: ["group:ops"] },
]
const RULES = [{ destination: "*@bank.example", approvers: ["group:cfo"], preventSelfApproval: true }]
const VISIBILITY = { teams: TEAMS, overseers: ["group:audit"] }
const read = (more: object = { visibility: VISIBILITY }) =>
  parseAccess(JSON.stringify({ roles: ROLES, rules: RULES, ...more }))
const FILE = read()
const NO_KEY = read({})
const NO_TEAMS = read({ visibility: {} })
const EMPTY_TEAMS = read({ visibility: { teams: [] } })

const person = (groups: readonly string[], id = "ada") => ({
  id,
  identity: { issuer: "https://id.example", subject: id, groups },
})
const facts = (more: Partial<WorkFacts> = {}): WorkFacts => ({
  scope: "private",
  colleague: "analyst",
  creators: new Map(),
  deciders: new Set(),
  pending: [],
  isUnsettled: false,
  ...more,
})
const by = (id: string, teams?: readonly string[]) => ({ creators: new Map([[id, teams]]) })
const waits = (destination: string) => ({ pending: [{ destination, colleague: "analyst" }] })

type Case = [name: string, groups: readonly string[], more: Partial<WorkFacts>, reason: VisibilityReason | undefined]

const WITH_FILE: readonly Case[] = [
  ["nobody without a role, whatever the reason", ["guests"], { scope: "organization", ...by("ada") }, undefined],
  ["no overseer without a role", ["audit"], {}, undefined],
  ["the creator of private Work", ["staff"], by("ada", []), "creator"],
  ["not another person", ["staff"], by("ben", ["Finance"]), undefined],
  ["the creator of Work with a scope that nobody knows", ["staff"], { scope: "galaxy", ...by("ada") }, "creator"],
  ["nobody else of such Work", ["staff", "finance"], { scope: "galaxy", ...by("ben", ["Finance"]) }, undefined],
  ["no scope in another letter case", ["staff"], { scope: "Organization" }, undefined],
  ["everybody of organization Work", ["staff"], { scope: "organization", ...by("ben", []) }, "organization"],
  ["somebody in the creator's team", ["finance"], { scope: "team", ...by("ben", ["Finance"]) }, "team"],
  ["nobody of another team", ["ops"], { scope: "team", ...by("ben", ["Finance"]) }, undefined],
  ["a team by its exact name only", ["finance"], { scope: "team", ...by("ben", ["finance"]) }, undefined],
  ["nobody of private Work by its team", ["finance"], by("ben", ["Finance"]), undefined],
  ["no team when the creator was in none", ["finance"], { scope: "team", ...by("ben", []) }, undefined],
  ["the colleague's team when an older desk stored no teams", ["finance"], { scope: "team", ...by("ben") }, "team"],
  ["the colleague's team when nobody is known", ["finance"], { scope: "team" }, "team"],
  ["no other team then", ["ops"], { scope: "team" }, undefined],
  ["no team whose patterns do not match", ["finance"], { scope: "team", colleague: "editor" }, undefined],
  ["no team while a creation is under way", ["finance"], { scope: "team", isUnsettled: true }, undefined],
  ["an approver of a pending approval", ["finance"], waits("ada@example.com"), "approver"],
  ["no reader of it", ["staff"], waits("ada@example.com"), undefined],
  ["no approver whom a matching rule leaves out", ["finance"], waits("pay@bank.example"), undefined],
  ["the approver whom the rule names", ["cfo"], waits("pay@bank.example"), "approver"],
  ["nobody whom the rule names without the role", ["staff"], waits("pay@bank.example"), undefined],
  ["who decided an approval", ["staff"], { deciders: new Set(["ada"]) }, "approver"],
  ["nobody else of decided Work", ["finance"], { deciders: new Set(["ben"]) }, undefined],
  ["an overseer", ["staff", "audit"], by("ben", ["Finance"]), "overseer"],
  ["an overseer of Work whose creation is under way", ["staff", "audit"], { isUnsettled: true }, "overseer"],
  ["the first reason: creator", ["staff", "audit"], { scope: "organization", ...by("ada") }, "creator"],
  ["the first reason: team", ["finance", "audit"], { scope: "team", ...waits("x@example.com") }, "team"],
  ["the first reason: approver", ["finance", "audit"], waits("x@example.com"), "approver"],
]

test.each(WITH_FILE)("with teams and overseers, %s", (_, groups, more, reason) => {
  expect(whySees(viewerOf(person(groups), FILE), facts(more))).toBe(reason)
})

const OTHER_FILES: readonly [name: string, file: Access, more: Partial<WorkFacts>, reason: string | undefined][] = [
  ["without the key, everybody sees team Work", NO_KEY, { scope: "team", ...by("ben", ["Finance"]) }, "team"],
  ["without the key, everybody sees Work of nobody known", NO_KEY, {}, "organization"],
  ["without the key, private Work of a known creator is concealed", NO_KEY, by("ben"), undefined],
  ["without the key, Work that may be somebody's is concealed", NO_KEY, { isUnsettled: true }, undefined],
  ["without the key, such team Work too", NO_KEY, { scope: "team", isUnsettled: true }, undefined],
  ["without teams, everybody sees team Work", NO_TEAMS, { scope: "team", ...by("ben", []) }, "team"],
  ["without teams, private Work of nobody known is concealed", NO_TEAMS, {}, undefined],
  ["with an empty list of teams, team Work is concealed", EMPTY_TEAMS, { scope: "team" }, undefined],
]

test.each(OTHER_FILES)("%s", (_, file, more, reason) => {
  expect(whySees(viewerOf(person(["staff"]), file), facts(more))).toBe(reason)
})

test("the Work that only overseers see is counted", () => {
  const only = (more: Partial<WorkFacts>, file = FILE) => isForOverseersOnly(file, facts(more))
  expect([only({}), only({ scope: "galaxy" }), only({ scope: "team", colleague: "editor" })]).toEqual([
    true,
    true,
    true,
  ])
  expect([only({ scope: "organization" }), only(by("ben")), only({ scope: "team" })]).toEqual([false, false, false])
  expect([only({}, NO_KEY), only({}, NO_TEAMS), only({ scope: "team" }, NO_TEAMS)]).toEqual([false, true, false])
  expect(only({ scope: "team" }, EMPTY_TEAMS)).toBe(true)
})

test("what would show concealed Work to a person", () => {
  const ways = (groups: readonly string[], more: Partial<WorkFacts>, file = FILE) =>
    waysToSee(viewerOf(person(groups), file), facts(more))
  expect(ways(["guests"], { scope: "team" })).toEqual([{ way: "role" }])
  const [team] = FILE.visibility?.teams ?? []
  const overseer = { way: "overseer", members: FILE.visibility?.overseers }
  expect(ways(["staff"], { scope: "team" })).toEqual([{ way: "team", team }, overseer])
  expect(ways(["staff"], {})).toEqual([overseer])
  expect(ways(["staff"], waits("ada@example.com"))).toEqual([{ way: "approver" }, overseer])
  expect(ways(["staff"], by("ben"), NO_KEY)).toEqual([])
})

test("people of one kind see the same, and a session has one viewer until the file changes", () => {
  const kind = (...groups: string[]) => viewerOf(person(groups), FILE).kind
  expect(kind("staff", "guests")).toBe(kind("staff"))
  const kinds = [kind(), kind("staff"), kind("staff", "audit"), kind("ops"), kind("finance"), kind("cfo")]
  expect(new Set(kinds).size).toBe(kinds.length)
  const session = {
    id: "s",
    person: { id: "ada", name: "Ada", roles: [], operations: [] },
    identity: person(["staff"]).identity,
    authenticatedAt: undefined,
    endsAt: null,
  }
  const viewer = viewerOfSession(session, FILE)
  expect(viewer).toMatchObject({ id: "ada", hasRole: true, isOverseer: false })
  expect(viewerOfSession(session, FILE)).toBe(viewer)
  expect(viewerOfSession(session, NO_KEY)).not.toBe(viewer)
  expect(isOverseer(session, { mode: "local", access: () => FILE })).toBe(true)
  expect(isOverseer(session, { mode: "sign-in", access: () => FILE })).toBe(false)
})

test("teams are those of the file, by the person's groups", () => {
  expect(teamsOf(person(["ops", "finance"]).identity, FILE)).toEqual(["Finance", "Operations"])
  expect(teamsOf(person(["ops", "finance"]).identity, NO_KEY)).toEqual([])
})

test("who may decide: sees the Work, has the role, is among the approvers, and did not create the Work", () => {
  const may = (groups: readonly string[], more: Partial<WorkFacts>, destination = "x@example.com") => {
    const item = { kind: "approval", destination, colleague: "analyst" } as const
    return mayDecide(viewerOf(person(groups), FILE), facts({ pending: [item], ...more }), item)
  }
  expect(may(["finance"], {})).toBe(true)
  expect(may(["staff"], { scope: "organization" })).toBe(false)
  expect(may(["finance"], {}, "pay@bank.example")).toBe(false)
  expect(may(["cfo"], {}, "pay@bank.example")).toBe(true)
  expect(may(["cfo"], by("ada"), "pay@bank.example")).toBe(false)
  expect(may(["cfo"], by("ada"))).toBe(true)
  const answers = (groups: readonly string[], more: Partial<WorkFacts>) =>
    mayDecide(viewerOf(person(groups), FILE), facts(more), { kind: "clarification" })
  expect(answers(["ops"], { scope: "organization" })).toBe(true)
  expect(answers(["staff"], { scope: "organization" })).toBe(false)
  expect(answers(["ops"], {})).toBe(false)
})

test.each([
  [{ visibility: [] }, "visibility"],
  [{ visibility: { team: [] } }, "unknown key in visibility"],
  [{ visibility: { teams: {} } }, "visibility.teams"],
  [{ visibility: { teams: [{ members: [] }] } }, "visibility.teams[0].name"],
  [{ visibility: { teams: [{ name: "A" }] } }, "visibility.teams[0].members"],
  [{ visibility: { teams: [{ name: "", members: [] }] } }, "visibility.teams[0].name"],
  [{ visibility: { teams: [{ name: "A", members: ["finance"] }] } }, "visibility.teams[0].members[0]"],
  [{ visibility: { teams: [{ name: "A", members: [], colleagues: "x" }] } }, "visibility.teams[0].colleagues"],
  [{ visibility: { teams: [{ name: "A", members: [], canary: 1 }] } }, "unknown key in visibility.teams[0]"],
  [{ visibility: { teams: [1, 2].map(() => ({ name: "A", members: [] })) } }, "a different name for each team"],
  [{ visibility: { overseers: "anyone" } }, "visibility.overseers"],
])("the file %j has a fault", (file, place) => {
  expect(() => read(file)).toThrow(place)
})
