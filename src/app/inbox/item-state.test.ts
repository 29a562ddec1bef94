import { describe, expect, it } from "vitest"
import { DeskError } from "../client/desk-error.ts"
import type { Intent } from "../client/stored-intent.ts"
import type { Resolved } from "./item.ts"
import { itemState, nextReading, refusalOf } from "./item-state.ts"

type Letter = { readonly version: bigint; readonly status: "pending" | "approved" }

const letter = (version: bigint, status: Letter["status"] = "pending"): Letter => ({ version, status })
const error = (status: number, code = "") =>
  new DeskError({ kind: "problem", title: "No", detail: "No.", code, status, retryable: false })
const sent = { key: "key", input: { version: 3n }, since: 0 }
const refused = (status: number, code = ""): Intent<{ version: bigint }, Resolved> => ({
  ...sent,
  state: "refused",
  error: error(status, code),
})
const isOpen = ({ status }: Letter) => status === "pending"
const reads = (shown: Letter) => ({ shown, before: undefined })
const reading = {
  intent: undefined,
  reading: reads(letter(3n)),
  latest: letter(3n),
  isListRead: true,
  readAt: 0,
  isOpen,
  isPausing: false,
}
const kindOf = (known: Partial<Parameters<typeof itemState<Letter>>[0]>) => itemState<Letter>({ ...reading, ...known })

describe("an item before a person", () => {
  it("is loading until it or its list has been read, and gone when the list does not have it", () => {
    expect(kindOf({ reading: undefined, latest: undefined, isListRead: false })).toEqual({ kind: "loading" })
    expect(kindOf({ reading: undefined, latest: undefined })).toMatchObject({ kind: "gone", last: undefined })
  })

  it("is read, stays while it is sent, and is confirmed only when the service says so", () => {
    expect(kindOf({})).toMatchObject({ kind: "open" })
    expect(kindOf({ intent: { ...sent, state: "sending" } })).toMatchObject({
      kind: "open",
      intent: { state: "sending" },
    })
    const result = { version: 4n, status: "approved", title: "A letter" }
    const confirmed = { ...sent, since: 1_000, state: "confirmed", result, replayed: false } as const
    expect(kindOf({ intent: confirmed })).toMatchObject({ kind: "confirmed", resolved: result })
    expect(kindOf({ intent: confirmed, latest: letter(5n) })).toMatchObject({ kind: "open" })
    // A read from before the decision says nothing about it. A later read does, also where the service was restored from a backup.
    expect(kindOf({ intent: confirmed, latest: letter(3n), readAt: 999 })).toMatchObject({ kind: "confirmed" })
    expect(kindOf({ intent: confirmed, latest: letter(3n), readAt: 1_000 })).toMatchObject({ kind: "confirmed" })
    expect(kindOf({ intent: confirmed, latest: letter(4n) })).toMatchObject({ kind: "confirmed" })
    expect(kindOf({ intent: confirmed, latest: letter(3n), readAt: 1_001 })).toMatchObject({
      kind: "open",
      intent: undefined,
    })
  })

  it.each([
    ["ready", "while it waits", {}],
    ["busy", "while it is sent", { intent: { ...sent, state: "sending" } }],
    ["busy", "in a pause", { isPausing: true }],
    ["ready", "after an answer was lost", { intent: { ...sent, state: "unknown", error: error(502) } }],
    ["not-listed", "before the list is read", { latest: undefined, isListRead: false }],
    ["not-listed", "in a pause before the list is read", { latest: undefined, isListRead: false, isPausing: true }],
  ] as const)("is %s %s", (phase, _, known) => {
    expect(kindOf(known)).toMatchObject({ kind: "open", phase })
  })

  it("has no newer version to decide on once it is resolved", () => {
    const newer = letter(4n, "approved")
    const intent = { ...sent, state: "unknown", error: error(502) } as const
    const state = kindOf({ latest: newer, intent })
    expect(state).toMatchObject({ kind: "open", newer: undefined })
  })

  it("is gone when it was resolved elsewhere, but not while the outcome of what was sent here is open", () => {
    const latest = letter(4n, "approved")
    expect(kindOf({ latest })).toMatchObject({ kind: "gone", last: latest, stillListed: false })
    expect(kindOf({ latest, intent: { ...sent, state: "unknown", error: error(502) } })).toMatchObject({
      kind: "open",
      intent: { state: "unknown" },
    })
    expect(kindOf({ latest, intent: { ...sent, state: "sending" } })).toMatchObject({
      kind: "open",
      intent: { state: "sending" },
    })
    expect(kindOf({ latest, intent: refused(412) })).toMatchObject({ kind: "gone", last: latest })
  })

  it("can be decided again after a 404 while the service still lists it", () => {
    expect(kindOf({ intent: refused(404) })).toMatchObject({ kind: "open", refusal: "missing" })
    expect(kindOf({ intent: refused(404), latest: undefined })).toMatchObject({ kind: "gone" })
  })

  it("is gone after a 409, with a way to try again where the service still lists the same version", () => {
    const gone = { kind: "gone", stillListed: true, error: { status: 409 } }
    expect(kindOf({ intent: refused(409) })).toMatchObject(gone)
    expect(kindOf({ reading: undefined, latest: undefined, intent: refused(409) })).toMatchObject({
      kind: "gone",
      error: { status: 409 },
    })
    // The refusal was about the version before.
    expect(kindOf({ intent: refused(409), latest: letter(4n) })).toMatchObject({ kind: "open", refusal: "resolved" })
    expect(kindOf({ intent: refused(409, "IDEMPOTENCY_CONFLICT") })).toMatchObject({
      kind: "open",
      refusal: "other",
    })
  })

  it("is forbidden by the service, and refused by the desk", () => {
    expect(kindOf({ intent: refused(403, "FORBIDDEN") })).toMatchObject({
      kind: "open",
      refusal: "forbidden",
    })
    expect(kindOf({ intent: refused(403, "PROXY_RULE") })).toMatchObject({ kind: "open", refusal: "rule" })
  })

  it("shows a refusal for its version alone, and after a 412 beside the version that it brought", () => {
    const newer = { shown: letter(4n), before: letter(3n) }
    for (const code of ["FORBIDDEN", "PROXY_RULE", "PROXY_ROLE_MISSING"])
      expect(kindOf({ intent: refused(403, code), reading: newer, latest: letter(4n) })).toMatchObject({
        kind: "open",
        intent: undefined,
        refusal: undefined,
      })
    expect(kindOf({ intent: refused(412), reading: newer, latest: letter(4n) })).toMatchObject({ refusal: "stale" })
    const later = { shown: letter(5n), before: letter(4n) }
    expect(kindOf({ intent: refused(412), reading: later, latest: letter(5n) })).toMatchObject({ refusal: undefined })
  })
})

it.each([
  [412, "VERSION_MISMATCH", "stale"],
  [412, "PROXY_VERSION_STALE", "stale"],
  [404, "NOT_FOUND", "missing"],
  [404, "PROXY_NOT_FOUND", "missing"],
  [409, "RESOLVED", "resolved"],
  [409, "PROXY_KEY_OF_ANOTHER", "other"],
  [403, "FORBIDDEN", "forbidden"],
  [403, "PROXY_SIGN_IN_AGAIN", "sign-in-again"],
  [403, "PROXY_ROLE_MISSING", "role"],
  [401, "UNAUTHENTICATED", "other"],
  [422, "constructor", "other"],
])("%i %s means %s", (status, code, refusal) => {
  expect(refusalOf(error(status, code))).toBe(refusal)
})

describe("what a person reads", () => {
  const none = undefined
  const [three, four, five] = [letter(3n), letter(4n), letter(5n)]

  it("stays when a newer version comes, when it is gone, and when an answer brings an older version", () => {
    for (const latest of [four, none, letter(2n)])
      expect(nextReading(reads(three), latest, none, none)).toEqual(reads(three))
    expect(kindOf({ latest: four })).toMatchObject({ shown: three, newer: four })
    expect(kindOf({ latest: letter(2n) })).toMatchObject({ shown: three, newer: undefined })
  })

  it("is replaced once the service has refused it, and by nothing after that", () => {
    expect(nextReading(reads(three), three, none, refused(412))).toEqual(reads(three))
    const replaced = nextReading(reads(three), four, none, refused(412))
    expect(replaced).toEqual({ shown: four, before: three })
    expect(nextReading(replaced, five, none, refused(412))).toBe(replaced)
    expect(nextReading(reads(three), four, none, refused(403))).toEqual(reads(three))
    for (const status of [404, 409])
      expect(nextReading(reads(three), four, none, refused(status))).toEqual({ shown: four, before: three })
  })

  it("is compared with what was on the screen before a reload", () => {
    expect(nextReading(none, five, three, refused(412))).toEqual({ shown: five, before: three })
    expect(nextReading(none, three, three, refused(412))).toEqual(reads(three))
  })

  it("has versions beyond 2^53 that stay exact", () => {
    const [old, newer] = [letter(9_007_199_254_740_993n), letter(9_007_199_254_740_994n)]
    expect(kindOf({ reading: reads(old), latest: newer })).toMatchObject({ newer })
  })
})
