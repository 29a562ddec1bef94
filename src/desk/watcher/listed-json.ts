/** Writes Works and items as JSON for the lists, within the limits of texts (`contract/limits.ts`). */
import { cutText, isTooLarge, ITEM_TEXT_MAX_BYTES, ROW_MAX_CHARACTERS, rowLimitOf } from "../../contract/limits.ts"
import { isObject } from "../../platform/http/json-object.ts"
import { canonicalJson } from "../record/canonical-json.ts"

/** A Work as JSON for a row: long texts are cut. A row that is too long keeps only `members`. */
export function writeRow(value: unknown, members: ReadonlySet<string>): string {
  const whole = canonicalJson(cutTexts(value))
  return whole.length <= ROW_MAX_CHARACTERS ? whole : canonicalJson(pick(value, (name) => members.has(name)))
}

/** Cuts the long texts of a Work. Returns `value` itself when there are none. */
function cutTexts(value: unknown): unknown {
  if (!isObject(value)) return value
  const isLong = ([name, member]: [string, unknown]) => typeof member === "string" && member.length > rowLimitOf(name)
  return Object.entries(value).some(isLong) ? pick(value, () => true) : value
}

/** The members whose names `isKept` accepts, with their long texts cut. The id of a Work is never too long to be read, so it stays whole. */
function pick(value: unknown, isKept: (member: string) => boolean): object {
  const members = isObject(value) ? Object.entries(value).filter(([name]) => isKept(name)) : []
  const cut = members.map(([name, member]) => {
    const isWhole = typeof member !== "string" || name === "id" || name === "work_id"
    return [name, isWhole ? member : cutText(member, rowLimitOf(name))]
  })
  return Object.fromEntries(cut)
}

/** The members of an item that is too large to be listed whole. */
const SMALL_MEMBERS = ["id", "work_id", "status", "version", "created_at"]

/** An item as JSON for the lists: whole, or only with its ids. */
export function writeItem(value: unknown) {
  const whole = canonicalJson(value)
  // A character has at most three bytes.
  if (whole.length * 3 <= ITEM_TEXT_MAX_BYTES || !isTooLarge(value)) return { isTooLarge: false, json: whole }
  const small = pick(value, (name) => SMALL_MEMBERS.includes(name))
  return { isTooLarge: true, json: canonicalJson({ ...small, too_large: true }) }
}
