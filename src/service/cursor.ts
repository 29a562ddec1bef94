import { parseInt64 } from "../contract/int64.ts"
import { invalidRequest } from "./problems.ts"

/** A position in the list of Work: the next page begins after the Work with this time and number. */
export type Position = { readonly createdAt: bigint; readonly number: bigint }

/** Writes a cursor. It names a place in the list and nobody's Work: the list has the Work of the credential's account alone. */
export function writeCursor({ createdAt, number }: Position): string {
  return Buffer.from(`${createdAt}.${number}`).toString("base64url")
}

/** Reads a cursor. @throws Refusal 400 for a cursor that is not in the form of `writeCursor` */
export function readCursor(cursor: string): Position {
  const [createdAt, number, ...others] = Buffer.from(cursor, "base64url").toString("latin1").split(".").map(parseInt64)
  if (createdAt !== undefined && number !== undefined && others.length === 0) {
    const position = { createdAt, number }
    // Base64 can write the same bytes in several ways. Only the way of `writeCursor` is valid.
    if (writeCursor(position) === cursor) return position
  }
  throw invalidRequest("cursor is not a next_cursor that this service gave")
}
