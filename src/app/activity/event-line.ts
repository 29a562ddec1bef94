/** The one-line summary of an event in the feed, for known and unknown types. */
import { parseJson, stringifyJson } from "../../contract/int64.ts"
import { isObject } from "../client/value-schema.ts"
import type { FeedEvent } from "./received-events.ts"

/** What an entry shows before it is opened. `line` is undefined where the payload says nothing that fits a line. */
type EventSummary = {
  readonly line: string | undefined
  /** When it happened, if the payload says so: the ISO moment, and the member that holds it. */
  readonly happened: { readonly at: string; readonly member: string } | undefined
}

/**
 * The schema of a payload is open (openapi.yaml, streamWorkEvents). The line is the first member of `WORDS`: of the payload itself, else of an
 * object in it. The line of a payload without words names its members. The moment is the first member of `MOMENTS` of the payload itself.
 */
const WORDS = ["message", "summary", "text", "title", "question", "description", "detail", "note", "reason"]
const MOMENTS = ["occurred_at", "happened_at", "timestamp", "time", "at", "created_at", "published_at", "sent_at"]

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/i
/** A moment that is ahead by less than this comes from a fast clock. A later moment is not when the event happened. */
const FUTURE_MS = 5 * 60_000

/** A line shows at most this many characters, and at most this many members of a payload without words. */
const LINE_MAX = 300
const LINE_MEMBERS_MAX = 12
/** A payload with more characters is not parsed. Its line is made from its first `BEGINNING` characters. */
const PARSE_MAX = 200_000
const BEGINNING = 4_000

const summaries = new WeakMap<FeedEvent, EventSummary>()

/** The readable line and the moment of an event, computed once. */
export function summarise(event: FeedEvent): EventSummary {
  const summary = summaries.get(event) ?? summariseData(event.data, event.receivedAt)
  summaries.set(event, summary)
  return summary
}

/** When an event happened, or was received if it does not say when it happened: ms since 1970. */
export function happenedAt(event: FeedEvent): number {
  const { happened } = summarise(event)
  return happened === undefined ? event.receivedAt : Date.parse(happened.at)
}

/** The readable line and the moment of `data`, which was received at `receivedAt` (ms since 1970). */
export function summariseData(data: string, receivedAt: number): EventSummary {
  if (data.length > PARSE_MAX) return { line: shorten(lineOfBeginning(data)), happened: undefined }
  const payload = tryParse(data)
  if (payload === undefined) return { line: shorten(data), happened: undefined }
  return { line: shorten(lineOf(payload.value)), happened: happenedOf(payload.value, receivedAt) }
}

function tryParse(data: string): { value: unknown } | undefined {
  try {
    return { value: parseJson(data) }
  } catch {
    return undefined
  }
}

function lineOf(value: unknown): string {
  if (typeof value === "string") return value
  if (!isObject(value)) return stringifyJson(value)
  const objects = [value, ...Object.values(value).filter(isObject)]
  const candidates = objects.flatMap((object) => WORDS.map((name) => object[name]))
  const words = candidates.find((member) => typeof member === "string" && member.trim() !== "")
  if (typeof words === "string") return words
  return Object.entries(value)
    .filter(([name, member]) => !(MOMENTS.includes(name) && typeof member === "string" && DATE_TIME.test(member)))
    .slice(0, LINE_MEMBERS_MAX)
    .map(([name, member]) => `${name}: ${typeof member === "string" ? member : stringifyJson(member)}`)
    .join(", ")
}

function happenedOf(value: unknown, receivedAt: number): EventSummary["happened"] {
  if (!isObject(value)) return undefined
  for (const member of MOMENTS) {
    const at = value[member]
    if (typeof at !== "string" || !DATE_TIME.test(at)) continue
    if (Date.parse(at) <= receivedAt + FUTURE_MS) return { at, member }
  }
  return undefined
}

/** The first words in the beginning of a payload that is not parsed; the beginning itself where no member has words. */
function lineOfBeginning(data: string): string {
  const head = data.slice(0, BEGINNING)
  const words = new RegExp(`"(?:${WORDS.join("|")})"\\s*:\\s*("(?:[^"\\\\]|\\\\.)+")`).exec(head)?.[1]
  const text = words === undefined ? undefined : tryParse(words)?.value
  return typeof text === "string" ? text : head
}

function shorten(text: string): string | undefined {
  // Twice the length, because a run of spaces becomes one space.
  const line = text
    .slice(0, LINE_MAX * 2)
    .replace(/\s+/g, " ")
    .trim()
  if (line === "") return undefined
  return line.length > LINE_MAX ? `${line.slice(0, LINE_MAX)}…` : line
}
