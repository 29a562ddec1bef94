import { useMemo, useSyncExternalStore } from "react"
import { parseJson, stringifyJson } from "../../contract/int64.ts"
import type { Approval, Attention } from "../../contract/resources.ts"
import { onStoredChange, readStored, storedNames, writeStored } from "../client/stored.ts"

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
  readonly result: Omit<Approval, "body"> | Attention
}

const PREFIX = "decided:"
/** Drafts and intents share the browser's room of some five million characters. */
const KEPT = 500

/** Keeps a decision, one entry for one key, the latest five hundred. */
export function noteDecided(decided: Decided & { readonly result: Approval | Attention }): void {
  const text = stringifyJson({ ...decided, result: { ...decided.result, body: undefined } })
  writeStored(PREFIX + decided.idempotency_key, text)
  const all = readDecided()
  for (const { idempotency_key: key } of all.slice(KEPT)) writeStored(PREFIX + key, undefined)
}

/** Everything decided from this browser, the latest first. */
export function readDecided(): readonly Decided[] {
  return storedNames(PREFIX)
    .flatMap((name) => {
      const text = readStored(name)
      // Only this module writes under its prefix.
      return text === undefined ? [] : (parseJson(text) as Decided)
    })
    .sort((a, b) => b.when.localeCompare(a.when))
}

/** The same, as it grows in any tab. */
export function useDecided(): readonly Decided[] {
  const names = useSyncExternalStore(onStoredChange, () => storedNames(PREFIX).sort().join("\n"))
  return useMemo(() => (names === "" ? [] : readDecided()), [names])
}
