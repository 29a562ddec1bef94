import { createHash } from "node:crypto"
import { stringifyJson } from "../../contract/int64.ts"
import type { OperationId } from "../../contract/resources.ts"
import { integer, optionalText, text } from "../store/rows.ts"
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

type JsonReply = {
  readonly kind: "json"
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

// 72 hours let a client retry after a weekend. A round of housekeeping removes what is older.
const KEPT_MS = 72 * 3_600_000

/** The first answers to idempotency keys. Only successes are stored: a refused request leaves its key unused. */
export class IdempotencyRecords {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Gives the first answer to this key and input as a replay, or says that the key was used with other input. Undefined: it is unused. */
  find(input: IdempotentInput): JsonReply | "other input" | undefined {
    const { credential, operation, idempotencyKey } = input
    const row = this.#store.get(
      "SELECT * FROM idempotency WHERE account = ? AND operation = ? AND key = ?",
      credential.account,
      operation,
      idempotencyKey,
    )
    if (row === undefined) return undefined
    if (text(row, "input_hash") !== inputHash(input)) return "other input"
    const status = integer(row, "status")
    const reply = replyOf({
      status: status === 201 ? 200 : status,
      body: text(row, "body"),
      etag: optionalText(row, "etag"),
      location: optionalText(row, "location"),
    })
    return { ...reply, headers: { ...reply.headers, "Idempotent-Replayed": "true" } }
  }

  /** Stores a first answer within the transaction of its effect, and gives the answer as a reply. */
  keep(input: IdempotentInput, answer: FirstAnswer): JsonReply {
    const { credential, operation, idempotencyKey } = input
    this.#store.insert("idempotency", {
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
    return replyOf(answer)
  }

  /** Removes at most `most` records that are older than 72 hours, and gives how many it removed. Only for use within an effect. */
  forgetOld(most: number): number {
    return this.#store.run(
      `DELETE FROM idempotency WHERE (account, operation, key) IN
         (SELECT account, operation, key FROM idempotency WHERE created_at < ? ORDER BY created_at LIMIT ?)`,
      Date.now() - KEPT_MS,
      most,
    )
  }
}

function replyOf({ status, body, etag, location }: FirstAnswer): JsonReply {
  const headers: Record<string, string> = {}
  if (etag !== undefined) headers["ETag"] = etag
  if (location !== undefined) headers["Location"] = location
  return { kind: "json", status, body, headers }
}

function inputHash({ rawPath, ifMatch, body }: IdempotentInput): string {
  const value = stringifyJson([rawPath, ifMatch === undefined ? null : String(ifMatch), canonical(body)])
  return createHash("sha256").update(value).digest("base64")
}

/**
 * The JSON value with its properties sorted by name. Parsing has already removed the differences of spacing, escapes and number formats.
 */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== "object" || value === null) return value ?? null
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([name, member]) => [name, canonical(member)])
}
