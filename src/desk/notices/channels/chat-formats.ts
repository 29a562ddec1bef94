/** The formats of chats. A message is a heading and lines with a link each, shortened to the limits of its platform. */

/** One item of a message. `text` may contain a label that people chose freely, so it may contain markup. */
export type ChatLine = { readonly text: string; readonly url: string }

type Format = {
  /** A line as the message has it. */
  readonly line: (line: ChatLine) => unknown
  readonly message: (heading: string, lines: readonly unknown[], more: readonly string[]) => object
  /** How long the JSON of a message may be. A text is never longer than its JSON, so this also holds where a platform counts characters. */
  readonly maxBytes: number
  readonly maxLines: number
}

/** The limit of a line in every chat, because Slack allows 3,000 characters in a block. A longer line is left out. */
const LINE_MAX_BYTES = 3_000

const slackSection = (text: string) => ({ type: "section", text: { type: "mrkdwn", text, verbatim: true } })
const cardText = (text: string) => ({ type: "TextBlock", text, wrap: true })
const markdownLine = ({ text, url }: ChatLine) => `${widenAngles(widen(text))} [Open](${url})`

/** By the name that `format=` has in NOTICE_CHAT_URL. */
const FORMATS = {
  slack: {
    line: ({ text, url }: ChatLine) => slackSection(`${escapeSlack(widen(text))} <${url}|Open>`),
    message: (heading, lines, more) => ({
      text: heading,
      blocks: [slackSection(heading), ...lines, ...more.map(slackSection)],
      unfurl_links: false,
      unfurl_media: false,
    }),
    // Slack also refuses blocks that are too long together, but does not say from which length on.
    maxBytes: 12_000,
    // Of 50 blocks, two are the heading and the last line.
    maxLines: 48,
  },
  teams: {
    line: ({ text, url }: ChatLine) => ({
      type: "Container",
      items: [
        cardText(widenAngles(widen(text))),
        { type: "ActionSet", actions: [{ type: "Action.OpenUrl", title: "Open", url }] },
      ],
    }),
    message: (heading, lines, more) => ({
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          contentUrl: null,
          content: {
            $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
            type: "AdaptiveCard",
            version: "1.4",
            body: [{ ...cardText(heading), weight: "Bolder" }, ...lines, ...more.map(cardText)],
          },
        },
      ],
    }),
    maxBytes: 28_000,
    maxLines: Number.POSITIVE_INFINITY,
  },
  mattermost: {
    line: markdownLine,
    message: (heading, lines, more) => ({ text: [heading, ...lines, ...more].join("\n") }),
    maxBytes: 16_383,
    maxLines: Number.POSITIVE_INFINITY,
  },
  discord: {
    line: markdownLine,
    message: (heading, lines, more) => ({
      content: [heading, ...lines, ...more].join("\n"),
      allowed_mentions: { parse: [] },
      // SUPPRESS_EMBEDS: no preview of a link is shown.
      flags: 4,
    }),
    maxBytes: 2_000,
    maxLines: Number.POSITIVE_INFINITY,
  },
} as const satisfies Readonly<Record<string, Format>>

export type FormatName = keyof typeof FORMATS

export const isFormatName = (text: string): text is FormatName => Object.hasOwn(FORMATS, text)

/** Writes the JSON of a message. When not all lines fit, the last line says how many are left out. */
export function writeChatMessage(name: FormatName, heading: string, lines: readonly ChatLine[]): string {
  const { line, message, maxBytes, maxLines }: Format = FORMATS[name]
  const formatMore = (count: number) => (count === 0 ? [] : [`and ${count} more`])
  const room = maxBytes - bytesOf(message(heading, [], formatMore(lines.length)))
  const shown: unknown[] = []
  let used = 0
  for (const each of lines) {
    if (shown.length === maxLines) break
    const written = line(each)
    // Each line needs two more bytes at most: a comma, or the line break \n as JSON writes it.
    const bytes = bytesOf(written) + 2
    // A shorter line further down may still fit.
    if (bytes > LINE_MAX_BYTES || used + bytes > room) continue
    used += bytes
    shown.push(written)
  }
  return JSON.stringify(message(heading, shown, formatMore(lines.length - shown.length)))
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/**
 * Characters that make a mention, a link, an emoji, a style, a macro or an entity in at least one of the chats. `:` counts only before a
 * non-space, and `.` only before a letter or after `www`, where they may be part of an address. Mattermost also reads `&commat;channel` as a
 * mention and `www2.4you` as an address.
 */
const MARKUP_PARTS = [
  /[@#:~](?=\S)/, // Mentions, tags, emoji, strikethrough
  /&(?=\w+;)/, // Entities
  /\.(?=\p{L})/u, // Addresses: `example.org`
  /(?<=[wW]{3}\d*)\./, // Addresses: `www2.4you`
  /\](?=[([:])/, // Links: `[text](address)`, `[text][name]`, `[name]: address`
  /[*`\\]/, // Bold, code, escapes
  /\|\|+/, // Hidden text: `||text||`
  /\{\{+/, // Macros: `{{DATE(…)}}`
  /\b_+|_+\b|__+/, // Italics, underlines
]
const MARKUP = new RegExp(MARKUP_PARTS.map(({ source }) => source).join("|"), "gu")

/** Replaces each of these characters by its wide form, which no chat reads as markup: not all of them have an escape. */
const widen = (text: string) => text.replaceAll(MARKUP, toWide)
/** Replaces `<` and `>`, too. Not for Slack, which has escapes for them (`escapeSlack`). */
const widenAngles = (text: string) => text.replaceAll(/[<>]/g, toWide)
const toWide = (ascii: string) =>
  String.fromCharCode(...Array.from(ascii, (character) => character.charCodeAt(0) + 0xfee0))

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }
const escapeSlack = (text: string) => text.replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? "")
