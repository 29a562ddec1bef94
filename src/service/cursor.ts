import { createHmac, timingSafeEqual } from "node:crypto"
import { invalidRequest } from "./problems.ts"

/** A position in the list of Work: the next page begins after the Work with this time and number. */
export type Position = { readonly createdAt: bigint; readonly number: bigint }

const POSITION_BYTES = 16
const SIGNATURE_BYTES = 16

/**
 * Writes and reads cursors. A cursor has a signature for its account, so that a changed cursor and another account's cursor are refused.
 */
export class Cursors {
  readonly #key: Uint8Array

  constructor(key: Uint8Array) {
    this.#key = key
  }

  write(account: string, { createdAt, number }: Position): string {
    const position = Buffer.alloc(POSITION_BYTES)
    position.writeBigInt64BE(createdAt, 0)
    position.writeBigInt64BE(number, 8)
    return Buffer.concat([position, this.#sign(account, position)]).toString("base64url")
  }

  /** Reads a cursor. @throws Refusal 400 for a cursor that `write` did not make for this account */
  read(account: string, cursor: string): Position {
    const bytes = Buffer.from(cursor, "base64url")
    // Base64 can write the same bytes in several ways. Only the way of `write` is valid.
    if (bytes.length !== POSITION_BYTES + SIGNATURE_BYTES || bytes.toString("base64url") !== cursor) throw invalid()
    const position = bytes.subarray(0, POSITION_BYTES)
    if (!timingSafeEqual(bytes.subarray(POSITION_BYTES), this.#sign(account, position))) throw invalid()
    return { createdAt: position.readBigInt64BE(0), number: position.readBigInt64BE(8) }
  }

  #sign(account: string, position: Uint8Array): Buffer {
    return createHmac("sha256", this.#key).update(position).update(account).digest().subarray(0, SIGNATURE_BYTES)
  }
}

function invalid() {
  return invalidRequest("cursor is not a next_cursor that this service gave")
}
