/** The text of an entry in the browser's storage: a value with its version and its dates. */
import { parseJson, stringifyJson } from "../../contract/int64.ts"
import type { KindOptions } from "./storage.ts"
import { answerWith, validOf } from "./value-schema.ts"

/**
 * How a value is stored. `kind` holds the version of the kind (`KindOptions.version`), not its name. `writtenAt` and `forgetAt` are in milliseconds
 * since 1970. `writtenAt: 0` marks a value as older: the browser could not store a newer one.
 */
type Envelope = {
  readonly kind: number
  readonly writtenAt: number
  readonly forgetAt: number
  readonly value: unknown
}

/** The text of a value that is stored now. */
export function writeEnvelope<Value>(value: Value, { version = 1, keptDays }: KindOptions<Value>): string {
  const writtenAt = Date.now()
  const days = typeof keptDays === "number" ? keptDays : keptDays(value)
  const forgetAt = writtenAt + days * 24 * 60 * 60_000
  return stringifyJson({ kind: version, writtenAt, forgetAt, value } satisfies Envelope)
}

const envelopeSchema = answerWith<Envelope>("kind", "writtenAt", "forgetAt", "value")

/** The text of an earlier build as an envelope: that text began with version, `writtenAt`, `forgetAt` and a digit. */
const asEnvelope = (text: string) =>
  text.replace(/^(\d+) (\d+) (\d+) [01] (.*)$/s, '{"kind":$1,"writtenAt":$2,"forgetAt":$3,"value":$4}')

/** Undefined if the text is no envelope. */
export function readEnvelope(text: string | null): Envelope | undefined {
  try {
    return validOf(envelopeSchema, parseJson(asEnvelope(text ?? "")))
  } catch {
    return undefined
  }
}

/** The value of an entry, and whether it is older than the value that was written last. */
export type Stored<Value> = { readonly value: Value | undefined; readonly isOlder: boolean }

/** Reads the text of an entry of a kind. */
export function readStored<Value>(text: string, { version = 1, schema }: KindOptions<Value>): Stored<Value> {
  const stored = readEnvelope(text)
  const isValid = stored?.kind === version && stored.forgetAt > Date.now()
  return { value: isValid ? validOf(schema, stored.value) : undefined, isOlder: stored?.writtenAt === 0 }
}

/** The same value, marked as older. It is shorter than `text`, so it always fits. Undefined if the text is no envelope. */
export function markOlder(text: string | null): string | undefined {
  const envelope = readEnvelope(text)
  return envelope && stringifyJson({ ...envelope, writtenAt: 0 })
}
