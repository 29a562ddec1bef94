/** The limits that service, desk and app share, and how texts are counted and cut. */
import type { CreateInputUploadRequest } from "./resources.ts"

// The limits of openapi.yaml that the app or the proxy checks before the service does. A test compares them with openapi.yaml.

export const OBJECTIVE_MAX_CHARACTERS = 4000
export const RESPONSE_MAX_CHARACTERS = 4000
export const COMMENT_MAX_CHARACTERS = 2000

export const UPLOAD_NAME_MAX_CHARACTERS = 120
export const UPLOAD_MAX_BYTES = 102_400
export const UPLOAD_MEDIA_TYPES = [
  "application/json",
  "text/csv",
  "text/markdown",
  "text/plain",
] as const satisfies readonly CreateInputUploadRequest["media_type"][]
export const INPUTS_MAX = 4

export const EXECUTION_LIMIT_MAX_SECONDS = 86_400
export const IDEMPOTENCY_KEY_MAX_CHARACTERS = 255

export const WORK_PAGE_DEFAULT = 50
export const WORK_PAGE_MAX = 100

export const HEARTBEAT_SECONDS = 15

// The limits of texts that the service sends or takes, and for which openapi.yaml has none.

/** A title, question or label is cut here for rows, sorting and notices. A clarification or approval is never cut. */
export const ROW_TEXT_MAX_CHARACTERS = 500
/** A longer objective is cut for rows. The service takes none that is longer. */
const ROW_LONG_TEXT_MAX_CHARACTERS = OBJECTIVE_MAX_CHARACTERS
/** What else a Work has is left out of its row when the row is longer, in characters of JSON. */
export const ROW_MAX_CHARACTERS = 65_536
/** A clarification or approval whose texts have more bytes in all is listed with its ids alone. It can be declined, and not approved or answered here. */
export const ITEM_TEXT_MAX_BYTES = 1_048_576
/** A Work with a longer id cannot be read: no address can hold the id. */
export const ID_MAX_CHARACTERS = 1_000
/** A page of the list with more bytes is read with half its `limit` the next time, because parsing it blocks all requests. */
export const WORK_PAGE_MAX_BYTES = 4_194_304
/** The desk refuses new Work with a longer title, or with a time that has more digits after its seconds. */
export const TITLE_MAX_CHARACTERS = 1_000
export const TIME_FRACTION_MAX_DIGITS = 9

/** A text for a row: at most `max` characters, the last of which says that the text goes on. */
export function cutText(text: string, max = ROW_TEXT_MAX_CHARACTERS): string {
  if (text.length <= max) return text
  const characters = Array.from(text.slice(0, 2 * max))
  return characters.length <= max && text.length <= 2 * max ? text : `${characters.slice(0, max - 1).join("")}…`
}

/** How long a text member of a Work may be in a row. */
export const rowLimitOf = (member: string) =>
  member === "objective" || member === "completion_summary" ? ROW_LONG_TEXT_MAX_CHARACTERS : ROW_TEXT_MAX_CHARACTERS

/** The longest request body that the proxy and the embedded service accept, in bytes: 1 MiB. openapi.yaml has no such limit. */
export const BODY_MAX_BYTES = 1_048_576

/** The length of `text` as JSON Schema counts it: Unicode code points. A lone surrogate counts as one. */
export function countCharacters(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; count++) index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1
  return count
}

/** The length of `text` in bytes of UTF-8. A lone surrogate counts as three bytes, because U+FFFD is sent instead. */
export function countBytes(text: string): number {
  return new TextEncoder().encode(text).length
}

/** Whether the texts of a clarification or approval have more than ITEM_TEXT_MAX_BYTES in all. Such an item is never approved or answered here. */
export const isTooLarge = (value: unknown): boolean => bytesOfTexts(value) > ITEM_TEXT_MAX_BYTES

function bytesOfTexts(value: unknown): number {
  if (typeof value === "string") return countBytes(value)
  if (typeof value !== "object" || value === null) return 0
  return Object.values(value).reduce((sum: number, member: unknown) => sum + bytesOfTexts(member), 0)
}
