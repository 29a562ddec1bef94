import { describe, expect, it } from "vitest"
import { DeskError } from "../client/desk-error.ts"
import type { Intent } from "../client/stored-intent.ts"
import { decisionState } from "./decision-state.ts"

type Letter = { readonly version: bigint; readonly status: "pending" | "approved" }

const letter = (version: bigint, status: Letter["status"] = "pending"): Letter => ({ version, status })
const error = (status: number, code = "") =>
  new DeskError({ kind: "problem", title: "No", detail: "No.", code, status, retryable: false })
const sent = { key: "key", input: { version: 3n }, since: 0, sentAt: 0 }
const refused = (status: number, code = ""): Intent<{ version: bigint }, Letter> => ({
  ...sent,
  state: "refused",
  error: error(status, code),
})
const frozen = (shown: Letter, newer?: Letter) => ({ shown, newer, before: undefined, showNewer: () => {} })
const isOpen = ({ status }: Letter) => status === "pending"
const reading = { intent: undefined, frozen: frozen(letter(3n)), latest: letter(3n), listed: true, isOpen }
const kindOf = (known: Partial<Parameters<typeof decisionState<Letter>>[0]>) =>
  decisionState<Letter>({ ...reading, ...known })

describe("an item before a person", () => {
  it("is loading until it or its list has been read, and gone when the list does not have it", () => {
    expect(kindOf({ frozen: undefined, latest: undefined, listed: false })).toEqual({ kind: "loading" })
    expect(kindOf({ frozen: undefined, latest: undefined })).toMatchObject({ kind: "gone", last: undefined })
  })

  it("is read, stays while it is sent, and is recorded only when the service says so", () => {
    expect(kindOf({})).toMatchObject({ kind: "reading" })
    expect(kindOf({ intent: { ...sent, state: "sending" } })).toMatchObject({ kind: "sending" })
    const recorded = { ...sent, state: "recorded", result: letter(4n, "approved"), replayed: false } as const
    expect(kindOf({ intent: recorded })).toMatchObject({ kind: "recorded", item: letter(4n, "approved") })
    expect(kindOf({ intent: recorded, latest: letter(5n) })).toMatchObject({ kind: "reading" })
  })

  it("has no newer version to decide on once it is resolved", () => {
    const newer = letter(4n, "approved")
    const intent = { ...sent, state: "unknown", error: error(502) } as const
    const state = kindOf({ frozen: frozen(letter(3n), newer), latest: newer, intent })
    expect(state).toMatchObject({ kind: "unknown", frozen: { newer: undefined } })
  })

  it("is gone when it was resolved elsewhere, but not while the outcome of what was sent here is open", () => {
    const latest = letter(4n, "approved")
    expect(kindOf({ latest })).toMatchObject({ kind: "gone", last: latest, stillListed: false })
    for (const state of ["unknown", "waiting"] as const)
      expect(kindOf({ latest, intent: { ...sent, state, error: error(503) } })).toMatchObject({ kind: state })
    expect(kindOf({ latest, intent: { ...sent, state: "sending" } })).toMatchObject({ kind: "sending" })
    expect(kindOf({ latest, intent: refused(412) })).toMatchObject({ kind: "gone", last: latest })
  })

  it("can be decided again after a 404 while the service still lists it", () => {
    expect(kindOf({ intent: refused(404) })).toMatchObject({ kind: "refused", refusal: "missing" })
    expect(kindOf({ intent: refused(404), latest: undefined })).toMatchObject({ kind: "gone" })
  })

  it("is gone after a 409, with a way to try again where the service still lists the same version", () => {
    expect(kindOf({ intent: refused(409) })).toMatchObject({ kind: "gone", stillListed: true })
    expect(kindOf({ intent: refused(409, "IDEMPOTENCY_CONFLICT") })).toMatchObject({ kind: "refused" })
  })

  it("is forbidden by the service, and refused by the desk", () => {
    expect(kindOf({ intent: refused(403, "FORBIDDEN") })).toMatchObject({ kind: "forbidden" })
    expect(kindOf({ intent: refused(403, "PROXY_RULE") })).toMatchObject({ kind: "refused", refusal: "rule" })
  })
})
