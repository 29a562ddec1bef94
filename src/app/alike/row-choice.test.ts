import { expect, test } from "vitest"
import { type Chooser, type RowFacts, whyChoiceGoes, whyNotChosen } from "./row-choice.ts"
import { parseJson } from "../../contract/int64.ts"
import type { DecisionContext } from "../../contract/desk-work.ts"
import { fakeApproval } from "../../desk/watcher/testing/simulation.ts"
import { readApproval } from "../client/check-resource.ts"

const letter = (more: object = {}) =>
  readApproval(parseJson(JSON.stringify(fakeApproval("letter", more)))) ?? expect.unreachable()

const ADA: Chooser = { mode: "sign-in", person: { id: "ada" }, teams: ["Finance"] }
const LOCAL: Chooser = { mode: "local", person: { id: "local" }, teams: [] }
const emil = { id: "emil", name: "Emil Berg" }

const context = (more: Partial<DecisionContext> = {}): RowFacts["context"] => ({
  kind: "read",
  context: {
    known: { approvals: 1, since: null, complete: true },
    destination: { first: false, approved: 1, declined: 0, history: [] },
    look_alikes: [],
    first_of_colleague: false,
    same_elsewhere: [],
    may: { approve: true, creator_unknown: false },
    ...more,
  },
})

const row = (more: Partial<RowFacts> = {}): RowFacts => ({
  key: "letter",
  id: ["w", "letter"],
  shown: letter(),
  latest: letter(),
  isSeen: true,
  context: context(),
  team: { needs_you: true },
  whyFrozen: undefined,
  missingRole: undefined,
  ...more,
})

const given = (to: object, by = emil) =>
  ({ needs_you: true, assignment: { to, by, at: "2026-11-21T10:00:00Z", etag: '"1"' } }) as RowFacts["team"]

test.each<[what: string, more: Partial<RowFacts>]>([
  ["nothing speaks against it", {}],
  ["it is taken by the person", { team: given({ person: { id: "ada", name: "Ada" } }, { id: "ada", name: "Ada" }) }],
  ["it is handed to a team of the person", { team: given({ team: "Finance" }) }],
  ["it is handed to somebody for whom the person stands in", { team: given(awayWith("ada")) }],
  ["its destination is new", { context: context({ first_of_colleague: true }) }],
])("a row can be chosen where %s", (_, more) => {
  expect(whyNotChosen(row(more), ADA)).toBeUndefined()
})

const lookAlike = {
  destination: "b@example.com",
  approved: 1,
  declined: 0,
  reason: { kind: "distance", edits: 1 },
} as const

test.each<[why: string, more: Partial<RowFacts>]>([
  ["No longer pending", { latest: undefined }],
  ["Version 2 has come", { latest: letter({ version: 2 }) }],
  ["You need the role", { missingRole: "You need the role" }],
  ["Needs 2 approvals", { team: { needs_you: true, approvals: { needed: 2, given: [], earlier: [] } } }],
  [
    "A rule asks for a fresh sign-in",
    { context: context({ may: { approve: false, code: "PROXY_SIGN_IN_AGAIN", detail: "Old" } }) },
  ],
  [
    "A rule asks for a fresh sign-in",
    { context: context({ may: { approve: true, creator_unknown: false, asks_for_sign_in: true } }) },
  ],
  ["Ask Ben.", { context: context({ may: { approve: false, code: "PROXY_RULE", detail: "Ask Ben." } }) }],
  ["Marked as a look-alike", { context: context({ look_alikes: [lookAlike] }) }],
  ["Taken by Emil Berg", { team: given({ person: emil }) }],
  ["Handed to Legal by Emil Berg", { team: given({ team: "Legal" }) }],
  ["Handed to Zoe by Emil Berg", { team: given(awayWith("ben")) }],
  ["Set aside by you", { team: { needs_you: true, aside: { until: "2026-11-22T10:00:00Z" } } }],
  ["Waits for others", { team: {} }],
  ["Ada has frozen this desk.", { whyFrozen: "Ada has frozen this desk." }],
  ["Still checking the destination", { context: { kind: "reading" } }],
  ["Still checking the destination", { context: { kind: "late" } }],
  ["The destination couldn't be checked", { context: { kind: "failed" } }],
  ["The rules couldn't be checked", { context: contextWithoutRules() }],
  ["Not seen yet", { isSeen: false }],
])("a row can't be chosen: %s", (why, more) => {
  expect(whyNotChosen(row(more), ADA)).toBe(why)
})

test("a letter that can't be read is not chosen", () => {
  const shown = letter({ body: "a\u200b".repeat(2000) })
  expect(whyNotChosen(row({ shown, latest: shown }), ADA)).toContain("hidden characters")
})

test("local mode has no rules, so their absence is no reason", () => {
  expect(whyNotChosen(row({ context: contextWithoutRules() }), LOCAL)).toBeUndefined()
})

test("a chosen row stays chosen during a freeze, and no other reason lets it", () => {
  expect(whyChoiceGoes(row({ whyFrozen: "Frozen" }), ADA)).toBeUndefined()
  expect(whyChoiceGoes(row({ whyFrozen: "Frozen", isSeen: false }), ADA)).toBe("This row has changed")
  expect(whyChoiceGoes(row({ latest: undefined }), ADA)).toBe("No longer pending")
})

function awayWith(standIn: string) {
  const away = { until: "2026-11-29T10:00:00Z", stand_in: { id: standIn, name: "Somebody" } }
  return { person: { id: "zoe", name: "Zoe", away } }
}

function contextWithoutRules(): RowFacts["context"] {
  const { context: whole, ...rest } = context() as Extract<RowFacts["context"], { kind: "read" }>
  const { may: _, ...without } = whole
  return { ...rest, context: without }
}
