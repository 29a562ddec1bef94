/** Makes an answer of `GET /desk/waiting` from the answer before. The app loads this code with the second answer. */
import { replaceEqualDeep } from "@tanstack/react-query"
import type * as wire from "../../contract/desk-work.ts"
import { applyChange, entryKey, type WaitingChange } from "../../contract/waiting-change.ts"
import { isObject } from "./value-schema.ts"
import type { News, AnsweredWaiting } from "./waiting.ts"

const hasTexts = (value: unknown, ...names: readonly string[]): value is Readonly<Record<string, unknown>> =>
  isObject(value) && names.every((name) => typeof value[name] === "string")

const isEntry = (entry: unknown): boolean =>
  isObject(entry) &&
  hasTexts(entry["work"], "id") &&
  hasTexts(entry["item"], "id", "work_id", "created_at") &&
  typeof entry["item"]["version"] === "bigint"

const isListOf = (fits: (value: unknown) => boolean, list: unknown): boolean => Array.isArray(list) && list.every(fits)

/**
 * Whether `answer` is a change. The desk has checked the other members of the items in it. valibot would bring the code of an inbox page to every
 * page, because both are in one file of the build.
 */
const isChange = (answer: unknown): answer is WaitingChange =>
  hasTexts(answer, "etag", "since") &&
  isObject(answer["changed"]) &&
  isListOf(isEntry, answer["changed"]["attention"]) &&
  isListOf(isEntry, answer["changed"]["approvals"]) &&
  isListOf((each) => hasTexts(each, "work", "item"), answer["gone"]) &&
  typeof answer["checked"] === "number" &&
  typeof answer["total"] === "number" &&
  typeof answer["complete"] === "boolean"

/** What the desk tells with `answer`, a change of `before`. Undefined where `answer` is no change, or one of another answer. */
export function readChange(before: AnsweredWaiting, answer: unknown): News | undefined {
  if (!isChange(answer) || answer.since !== before.etag) return undefined
  return { told: { etag: answer.etag, answer: applyChange(before.answer, answer) }, change: answer }
}

/** The whole answer `next`. Its entries that are as in `before` are the same objects as there, so that their rows are not drawn again. */
export function keepEntries({ answer: before }: AnsweredWaiting, { etag, answer }: AnsweredWaiting): AnsweredWaiting {
  const attention = keepEqual(before.attention, answer.attention)
  return { etag, answer: { ...answer, attention, approvals: keepEqual(before.approvals, answer.approvals) } }
}

function keepEqual<Entry extends wire.Waiting["attention" | "approvals"][number]>(
  before: readonly Entry[],
  next: readonly Entry[],
): readonly Entry[] {
  const keyOf = ({ work, item }: Entry) => entryKey(work.id, item.id)
  const known = new Map(before.map((entry) => [keyOf(entry), entry]))
  return next.map((entry) => replaceEqualDeep(known.get(keyOf(entry)), entry))
}
