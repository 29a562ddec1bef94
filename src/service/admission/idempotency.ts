/** The first answers under Idempotency-Keys, which replays get again. */
import { createHash } from "node:crypto"
import { stringifyJson } from "../../contract/int64.ts"
import type { OperationId } from "../../contract/resources.ts"
import { integer, optionalText, text } from "../store/sqlite-row.ts"
import type { Store } from "../store/store.ts"
import type { Credential } from "./credentials.ts"

/** The input of a mutation. Inputs are equal when account, operation, path, `If-Match` and the JSON value of the body are equal. */
export type IdempotentInput = {
  readonly operation: OperationId
  readonly credential: Credential
  readonly idempotencyKey: string
  readonly rawPath: string
  readonly ifMatch: bigint | undefined
  readonly body: unknown
}

export type FirstAnswer = {
  readonly status: number
  readonly body: string
  readonly etag: string | undefined
  readonly location: string | undefined
}

// 72 hours let a client retry after a weekend. A round of housekeeping removes what is older.
const KEPT_MS = 72 * 3_600_000

/** The answer to this key and input, to be replayed: a 201 as 200. Undefined: the key is unused. */
export function findFirstAnswer(store: Store, input: IdempotentInput): FirstAnswer | "other input" | undefined {
  const { credential, operation, idempotencyKey } = input
  const row = store.get(
    "SELECT * FROM idempotency WHERE account = ? AND operation = ? AND key = ?",
    credential.account,
    operation,
    idempotencyKey,
  )
  if (row === undefined) return undefined
  if (text(row, "input_hash") !== inputHash(input)) return "other input"
  const status = integer(row, "status")
  return {
    status: status === 201 ? 200 : status,
    body: text(row, "body"),
    etag: optionalText(row, "etag"),
    location: optionalText(row, "location"),
  }
}

/** Stores a first answer within its effect. Only successes are stored: a refused request leaves its key unused. */
export function keepFirstAnswer(store: Store, input: IdempotentInput, answer: FirstAnswer): void {
  const { credential, operation, idempotencyKey } = input
  store.insert("idempotency", {
    account: credential.account,
    operation,
    key: idempotencyKey,
    input_hash: inputHash(input),
    status: answer.status,
    body: answer.body,
    etag: answer.etag ?? null,
    location: answer.location ?? null,
    created_at: Date.now(),
  })
}

/** Removes at most `most` answers that are older than 72 hours, and returns how many it removed. Only for use within an effect. */
export function removeOldAnswers(store: Store, most: number): number {
  return store.run(
    `DELETE FROM idempotency WHERE (account, operation, key) IN
       (SELECT account, operation, key FROM idempotency WHERE created_at < ? ORDER BY created_at LIMIT ?)`,
    Date.now() - KEPT_MS,
    most,
  )
}

function inputHash({ rawPath, ifMatch, body }: IdempotentInput): string {
  const value = stringifyJson([rawPath, ifMatch === undefined ? null : String(ifMatch), canonical(body)])
  return createHash("sha256").update(value).digest("base64")
}

/**
 * The JSON value with each object as its sorted list of names and values. Parsing has already removed the differences of spacing, escapes and
 * number formats. A body that is such a list itself would equal an object, but openapi.yaml has no such body. The hashes are stored, so another form would refuse the retries of the release before.
 */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== "object" || value === null) return value ?? null
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([name, member]) => [name, canonical(member)])
}
