/** Writes a mail: that something waits, since when, and a link. No mail has the title or text of an item. */
import { countOf } from "../../../contract/plural.ts"
import { isPlainAddress } from "../../people/plain-address.ts"
import type { DueItem } from "../due-notices.ts"
import type { KnownItem } from "../known-items.ts"
import { formatDurationWords } from "../../people/rules/rule-words.ts"
import { HOUR_MS, MINUTE_MS } from "../leave-times.ts"
import { linkTo, linkToWork } from "../links.ts"
import { type OwnLine, SENTENCES, sumUp } from "../own-work.ts"

export type From = { readonly name: string; readonly address: string }

/** Reads `desk@example.com` or `Workdesk <desk@example.com>`. Undefined when it is neither. */
export function readFrom(text: string): From | undefined {
  const [, name = "", inBrackets] = /^([^<>]*)<([^<>]+)>$/u.exec(text.trim()) ?? []
  const address = inBrackets ?? text.trim()
  const trimmed = name.trim().replace(/^"(.*)"$/, "$1")
  return isPlainAddress(address) && isHeaderText(text) ? { name: trimmed, address } : undefined
}

/** Whether a text may be in a header: none of its characters controls anything, such as a line break or the direction of text. */
function isHeaderText(text: string): boolean {
  return text.isWellFormed() && !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text)
}

export type Mail = {
  /** Without angle brackets. */
  readonly messageId: string
  readonly from: From
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The link that switches mail off. Undefined: the mail has none. */
  readonly unsubscribe: string | undefined
}

export type MailParts = {
  readonly id: string
  readonly from: From
  readonly to: string
  readonly publicUrl: URL
  readonly now: number
  /** The name of a colleague, or its id when the colleague has no name. */
  readonly labelOf: (colleagueId: string) => string
  /** Whom the mail goes to. Left out for a mailbox. */
  readonly personId?: string | undefined
}

/** How many items a mail lists. The others are counted. */
const ITEMS_MAX = 20

/** The mail that lists pending items. `unsubscribeToken` is undefined for a mailbox. Oldest items first. */
export function writeNoticeMail(
  items: readonly DueItem[],
  {
    escalatedAfterMs,
    unsubscribeToken,
  }: { readonly escalatedAfterMs?: number | undefined; readonly unsubscribeToken?: string | undefined },
  parts: MailParts,
): Mail {
  const { publicUrl, now } = parts
  const oldest = items.reduce((first, { item }) => Math.min(first, item.since), now)
  const subject =
    escalatedAfterMs === undefined
      ? formatWaiting(items.length, now - oldest)
      : `Waiting for ${formatDurationWords(escalatedAfterMs / 1_000)}: ${countOf(items.length, "approval")}`
  const listed = items
    .slice(0, ITEMS_MAX)
    .flatMap((due) => [formatItem(due, parts), linkTo(publicUrl, due.item.known), ""])
  const others = items.slice(ITEMS_MAX)
  const more = others.length > 0 ? [`${countOf(others.length, "other")}:`, ...pagesOf(others, publicUrl), ""] : []
  const unsubscribe = unsubscribeToken === undefined ? undefined : unsubscribeLink(publicUrl, unsubscribeToken)
  const why =
    escalatedAfterMs === undefined
      ? "You are receiving this mail because you can answer or decide items at this desk."
      : "You are receiving this mail because a rule of this desk notifies you of overdue approvals."
  const text = [...listed, ...more, ...formatReason(why, unsubscribe, publicUrl)].join("\n")
  return finish(parts, subject, text, unsubscribe)
}

/** The mail that notifies a person of the results of their own Work. */
export function writeOwnWorkMail(lines: readonly OwnLine[], unsubscribeToken: string, parts: MailParts): Mail {
  const { publicUrl } = parts
  const { works, first } = sumUp(lines)
  const isStandIn = lines.some(({ step }) => step.startsWith("stood-in "))
  const changed = isStandIn ? countOf(works, "piece", "pieces of Work changed") : `${works} of your Works changed`
  const subject = works > 1 ? changed : SENTENCES[first]
  const listed = lines
    .slice(0, ITEMS_MAX)
    .flatMap(({ step, workId }) => [SENTENCES[step], linkToWork(publicUrl, workId), ""])
  const others = lines.length - ITEMS_MAX
  const rest = others > 0 ? [`${countOf(others, "other")}:`, new URL("/work", publicUrl).href, ""] : []
  const unsubscribe = unsubscribeLink(publicUrl, unsubscribeToken)
  const why = isStandIn
    ? "You are receiving this mail because you created this Work, took part in it, or stand in for its creator."
    : "You are receiving this mail because you created this Work, answered its question or decided its approval."
  return finish(
    parts,
    subject,
    [...listed, ...rest, ...formatReason(why, unsubscribe, publicUrl)].join("\n"),
    unsubscribe,
  )
}

/** A mail by which a person sees whether mail arrives. */
export function writeTestMail(parts: MailParts): Mail {
  const text = [
    "This is a test mail from Workdesk. If you can read it, mail from this desk reaches you.",
    "",
    `Mail settings: ${new URL("/notices", parts.publicUrl).href}`,
    "",
  ].join("\n")
  return finish(parts, "Test mail from Workdesk", text, undefined)
}

/** @throws TypeError when a value can't be in a header */
function finish(
  { id, from, to, publicUrl }: MailParts,
  subject: string,
  text: string,
  unsubscribe: string | undefined,
): Mail {
  const messageId = `${id}@${publicUrl.hostname.replace(/^\[(.*)\]$/, "$1").replaceAll(":", "-")}`
  for (const value of [messageId, subject, from.name, unsubscribe ?? ""]) {
    if (!isHeaderText(value)) throw new TypeError("a header has an invalid character")
  }
  if (!isPlainAddress(to) || !isPlainAddress(from.address)) throw new TypeError("a header has an invalid address")
  // One-click links are for https alone (RFC 8058, 3.1).
  const oneClick = publicUrl.protocol === "https:" ? unsubscribe : undefined
  return { messageId, from, to, subject, text, unsubscribe: oneClick }
}

function unsubscribeLink(publicUrl: URL, token: string): string {
  return new URL(`/desk/notices/unsubscribe?token=${token}`, publicUrl).href
}

function formatWaiting(items: number, waitedMs: number): string {
  const waiting = countOf(items, "item waits for you", "items wait for you")
  return items > 1 ? `${waiting}, the oldest for ${formatAgeWords(waitedMs)}` : waiting
}

/** An item on one line: what it is, of which colleague, and how long it has waited. The label is free text. */
export function formatItem(
  { item, steps }: DueItem,
  { now, labelOf, personId }: Pick<MailParts, "now" | "labelOf" | "personId">,
): string {
  const { kind, colleague, priority } = item.known
  const what = formatKind(kind)
  const toWhom = item.givenTo?.personId === personId ? "you" : "somebody you stand in for"
  const handed = steps.includes("handed") ? `, handed to ${toWhom}` : ""
  const reminded = steps.includes("reminded") ? ", to be decided soon" : ""
  const urgency = /^[a-z]{1,20}$/.test(priority) && priority !== "normal" ? `, ${priority} priority` : ""
  return `${what}, ${formatLabel(labelOf(colleague))}${urgency}${handed}${reminded}, waiting for ${formatAgeWords(now - item.since)}`
}

export const formatKind = (kind: KnownItem["kind"]) => (kind === "approval" ? "An approval" : "A clarification")

const LABEL_MAX = 80

/** The label on one line. An id without a label comes from the service and may be any text. */
function formatLabel(label: string): string {
  const plain = label
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
  return plain.length > LABEL_MAX ? `${plain.slice(0, LABEL_MAX).toWellFormed()}…` : plain
}

function pagesOf(items: readonly DueItem[], publicUrl: URL): readonly string[] {
  const has = (wanted: KnownItem["kind"]) => items.some(({ item }) => item.known.kind === wanted)
  const pages = [...(has("approval") ? ["/approvals"] : []), ...(has("clarification") ? ["/needs-you"] : [])]
  return pages.map((page) => new URL(page, publicUrl).href)
}

function formatReason(why: string, unsubscribe: string | undefined, publicUrl: URL): readonly string[] {
  const choice = new URL("/notices", publicUrl).href
  const noMore = unsubscribe === undefined ? [] : [`Turn off mail: ${unsubscribe}`]
  return [why, `Mail settings: ${choice}`, ...noMore, ""]
}

/** A time in words: minutes, from one hour on hours, from two days on days. */
export function formatAgeWords(milliseconds: number): string {
  if (milliseconds >= 48 * HOUR_MS) return countOf(Math.floor(milliseconds / (24 * HOUR_MS)), "day")
  if (milliseconds >= HOUR_MS) return countOf(Math.floor(milliseconds / HOUR_MS), "hour")
  return countOf(Math.max(1, Math.floor(milliseconds / MINUTE_MS)), "minute")
}
