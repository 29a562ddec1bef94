/** Applies the changes of `GET /desk/waiting` to the answer before, and acts on them. The app loads this code with the second answer. */
import { type QueryClient, replaceEqualDeep } from "@tanstack/react-query"
import type * as wire from "../../contract/desk-work.ts"
import { applyChange, entryKey, type WaitingChange } from "../../contract/waiting-change.ts"
import { readSession } from "./session.ts"
import { isObject } from "./value-schema.ts"
import type { AnsweredWaiting, WaitingUpdate } from "./waiting.ts"

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

/** The answer that `answer`, a change, makes of `before`. Undefined if `answer` isn't a change, or belongs to another answer. */
export function readChange(before: AnsweredWaiting, answer: unknown): WaitingUpdate | undefined {
  if (!isChange(answer) || answer.since !== before.etag) return undefined
  return { next: { etag: answer.etag, answer: applyChange(before.answer, answer) }, change: answer }
}

/** The answer `next`, with the object of `before` for each entry that is equal, so that its row is not drawn again. */
export function withEqualEntries(
  { answer: before }: AnsweredWaiting,
  { etag, answer }: AnsweredWaiting,
): AnsweredWaiting {
  const attention = reuseEqual(before.attention, answer.attention)
  return { etag, answer: { ...answer, attention, approvals: reuseEqual(before.approvals, answer.approvals) } }
}

/**
 * Reads the person's roles and the rules again if an item has begun or stopped needing the person without a new version, so that its buttons agree
 * with the count.
 */
export function readPermissions(client: QueryClient, { answer: before }: AnsweredWaiting, { answer }: AnsweredWaiting) {
  const needs = ({ attention, approvals }: wire.Waiting) =>
    new Map(
      [...attention, ...approvals].map(({ work, item, needs_you: isNeeded = false }) => [
        `${entryKey(work.id, item.id)} ${String(item.version)}`,
        isNeeded,
      ]),
    )
  const earlier = needs(before)
  if (![...needs(answer)].some(([key, isNeeded]) => isNeeded !== (earlier.get(key) ?? isNeeded))) return
  void readSession()
  void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey.includes("context") })
}

function reuseEqual<Entry extends wire.Waiting["attention" | "approvals"][number]>(
  before: readonly Entry[],
  next: readonly Entry[],
): readonly Entry[] {
  const keyOf = ({ work, item }: Entry) => entryKey(work.id, item.id)
  const known = new Map(before.map((entry) => [keyOf(entry), entry]))
  return next.map((entry) => replaceEqualDeep(known.get(keyOf(entry)), entry))
}
