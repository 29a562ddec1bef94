/** Chats: one message for what became pending within NOTICE_BATCH, to each address of NOTICE_CHAT_URL. A message only links to the desk. */
import { countOf } from "../../../contract/plural.ts"
import { readSecret } from "../../../platform/reread-files.ts"
import { Turns } from "../../../platform/turns.ts"
import type { Channel, ChannelKind, Look, NewDelivery, Notice, NoticeDesk, Result } from "../channel.ts"
import { type ChatAddress, readChatAddresses } from "./chat-configuration.ts"
import { writeChatMessage } from "./chat-formats.ts"
import { formatDurationWords } from "../../people/rules/rule-words.ts"
import { isNotified } from "../known-items.ts"
import { readBatch } from "../leave-times.ts"
import { linkTo } from "../links.ts"
import { formatAgeWords, formatItem, formatKind } from "./mail-text.ts"
import { type DueItem, FIRST_NOTICE, type Step } from "../due-notices.ts"
import { postJson } from "./post.ts"
import { findStillWaiting, postponeUnread } from "../still-waiting.ts"
import type { WaitingItem } from "../waiting-items.ts"
import { placesFor } from "../../store/tables.ts"

const NAME = "chat"

export const chat: ChannelKind = {
  name: NAME,
  test: {
    command: "test-chat",
    needsAddress: false,
    usage: "posts one message to each chat and prints the responses",
    words: ["The chat", "the message"],
    unset: "NOTICE_CHAT_URL is not set, so the desk has no chat",
  },
  configure: (env, _, files) => {
    const addresses = readSecret(env, "NOTICE_CHAT_URL", files, readChatAddresses)
    return addresses && createChat({ addresses, batchMs: readBatch(env) })
  },
}

export type ChatConfiguration = {
  /** The addresses of NOTICE_CHAT_URL, or of the last good content of its file. */
  readonly addresses: () => readonly ChatAddress[]
  readonly batchMs: number
}

export function createChat({ addresses, batchMs }: ChatConfiguration): Channel {
  async function send(
    { recipient, content }: Parameters<Channel["send"]>[0],
    notices: readonly Notice[],
    desk: NoticeDesk,
  ): Promise<Result> {
    const address = addresses().find((each) => each.recipient === recipient)
    if (address === undefined) return { kind: "dropped", answer: "" }
    const checked = findStillWaiting(notices, desk, mayNotify)
    if (checked === "unread") return postponeUnread()
    const { items, withdrawn } = checked
    if (items.length === 0) return { kind: "dropped", answer: "", withdrawn }
    return { ...(await postJson(address.url, {}, writeMessage(address, items, content, desk))), withdrawn }
  }

  return {
    name: NAME,
    noun: "a chat message",
    order: "any",
    findDeliveries: async (look) => {
      const made: NewDelivery[] = []
      for (const { recipient } of addresses()) made.push(...(await findNewMessages(recipient, look, batchMs)))
      return made
    },
    places: {
      placesOf: ({ recipient }) => Promise.resolve([recipient]),
      exceptPlaces: (full) => ({ sql: `own.recipient NOT IN (${placesFor(full)})`, values: full }),
    },
    send,
    who: whoIs,
    test: async () => {
      const answers = await Promise.all(
        addresses().map(async ({ recipient, url, format }) => {
          const { kind, answer } = await postJson(url, {}, writeChatMessage(format, "A test from Workdesk", []))
          return { isTaken: kind === "sent", answer: `${answer} from ${whoIs(recipient).host}` }
        }),
      )
      return {
        isTaken: answers.every(({ isTaken }) => isTaken),
        answer: answers.map(({ answer }) => answer).join(", "),
      }
    },
  }
}

const whoIs = (recipient: string) => ({ host: recipient.replace(/ .*$/, "") })

/** The messages that are due: one for new items, and one for each time of an escalation. Each leaves NOTICE_BATCH after its first item. */
async function findNewMessages(recipient: string, look: Look, batchMs: number): Promise<readonly NewDelivery[]> {
  const messages = new Map<
    string | undefined,
    { notices: { item: WaitingItem["known"]; step: Step }[]; isDue: boolean }
  >()
  const add = (content: string | undefined, { known }: WaitingItem, step: Step, cameAt: number) => {
    if (isNotified(known, NAME, step, recipient)) return
    const message = messages.get(content) ?? { notices: [], isDue: false }
    messages.set(content, message)
    message.notices.push({ item: known, step })
    message.isDue ||= look.now - cameAt >= batchMs
  }
  const turns = new Turns()
  for (const item of look.items) {
    add(undefined, item, FIRST_NOTICE, item.known.seenAt)
    for (const { rule, afterMs, at } of item.escalations) {
      const cameAt = Math.max(at, item.known.seenAt)
      if (cameAt <= look.now) add(String(afterMs), item, `escalated ${rule}`, cameAt)
    }
    if (turns.isOver()) await turns.next()
  }
  return [...messages].flatMap(([content, { notices, isDue }]) => (isDue ? [{ recipient, content, notices }] : []))
}

const mayNotify = ({ escalations }: WaitingItem, step: Step) =>
  step === FIRST_NOTICE || escalations.some(({ rule }) => step === `escalated ${rule}`)

/** Writes a message. `content`, as the outbox has it, is how long the approvals of an escalation have waited. */
function writeMessage(
  { format }: ChatAddress,
  items: readonly DueItem[],
  content: string | undefined,
  { labelOf, links }: NoticeDesk,
): string {
  const now = Date.now()
  const base = links()
  const lines = items.map((due) => ({
    text: formatItem(due, { now, labelOf }),
    // A parenthesis or an asterisk of an id would end a link, or begin a style.
    url: linkTo(base, due.item.known).replaceAll(
      /[!'()*~]/g,
      (character) => `%${character.charCodeAt(0).toString(16)}`,
    ),
  }))
  return writeChatMessage(format, formatHeading(items, content, now), lines)
}

function formatHeading(items: readonly DueItem[], content: string | undefined, now: number): string {
  if (content !== undefined)
    return `Waiting for ${formatDurationWords(Number(content) / 1_000)}: ${countOf(items.length, "approval")}`
  const [first] = items
  if (items.length === 1 && first !== undefined) return `${formatKind(first.item.known.kind)} waits`
  return `${countOf(items.length, "item waits", "items wait")}, the oldest for ${formatAgeWords(now - (first?.item.since ?? now))}`
}
