import { bigint, boolean, looseObject, nullable, object, picklist, string } from "valibot"
import { useMemo, useSyncExternalStore } from "react"
import type { Approval, Attention } from "../../contract/resources.ts"
import { defineKind, onStorageChange } from "../client/storage.ts"

/** Something that a person decided or answered from this browser, as the service has confirmed it. */
export type Decided = {
  readonly what: "approve" | "decline" | "answer"
  /** When the service's confirmation arrived, ISO 8601. */
  readonly when: string
  readonly work_id: string
  /** The version that was on the screen, and went out as `If-Match`. */
  readonly version: bigint
  /** The comment or the answer, as it was sent. */
  readonly text: string
  /** Of the last refusal or failure on the way, if there was one: a success carries none (API specification, "Errors"). */
  readonly request_id: string | null
  readonly idempotency_key: string
  /** Whether the service said that it had recorded it before. */
  readonly already_recorded: boolean
  /** The resource as the service returned it, without a letter's body: its payload hash stands for it. */
  readonly result: Partial<Omit<Approval, "body" | "status" | "id" | "version">> &
    Partial<Omit<Attention, "status" | "id" | "version">> & { readonly id: string; readonly version: bigint }
}

const decidedEntries = defineKind<readonly [key: string], Decided>({
  name: "decided",
  version: 1,
  schema: object({
    what: picklist(["approve", "decline", "answer"]),
    when: string(),
    work_id: string(),
    version: bigint(),
    text: string(),
    request_id: nullable(string()),
    idempotency_key: string(),
    already_recorded: boolean(),
    result: looseObject({ id: string(), version: bigint() }),
  }),
  forgetAfterMs: 90 * 24 * 60 * 60_000,
  maxCharacters: 1_000_000,
  mayGo: true,
})

/** Keeps a decision, one entry for one key. */
export function noteDecided(decided: Omit<Decided, "result"> & { readonly result: Approval | Attention }): void {
  const { result } = decided
  const withoutBody = "body" in result ? { ...result, body: undefined } : result
  decidedEntries(decided.idempotency_key).write({ ...decided, result: withoutBody })
}

/** Everything decided from this browser, the latest first. */
export function readDecided(): readonly Decided[] {
  return decidedEntries
    .ids()
    .flatMap((id) => decidedEntries(...id).read() ?? [])
    .sort((a, b) => b.when.localeCompare(a.when))
}

/** The same, as it grows in any tab. */
export function useDecided(): readonly Decided[] {
  const names = useSyncExternalStore(onStorageChange, () => decidedEntries.ids().flat().sort().join("\n"))
  return useMemo(() => (names === "" ? [] : readDecided()), [names])
}
