/** Reads a message as its chat would: refuses what the platform's documents do not allow, and returns the lines that people see. */
import * as v from "valibot"

const atMost = (length: number) => v.pipe(v.string(), v.minLength(1), v.maxLength(length))
const https = v.pipe(v.string(), v.url())

/** https://docs.slack.dev/reference/block-kit */
const slack = v.strictObject({
  text: atMost(4_000),
  blocks: v.pipe(
    v.array(
      v.strictObject({
        type: v.literal("section"),
        text: v.strictObject({ type: v.literal("mrkdwn"), text: atMost(3_000), verbatim: v.literal(true) }),
      }),
    ),
    v.minLength(1),
    v.maxLength(50),
  ),
  unfurl_links: v.literal(false),
  unfurl_media: v.literal(false),
})

const textBlock = v.strictObject({
  type: v.literal("TextBlock"),
  text: atMost(28_000),
  wrap: v.literal(true),
  weight: v.optional(v.literal("Bolder")),
})
const openUrl = v.strictObject({ type: v.literal("Action.OpenUrl"), title: atMost(100), url: https })
const actionSet = v.strictObject({ type: v.literal("ActionSet"), actions: v.tuple([openUrl]) })
const container = v.strictObject({ type: v.literal("Container"), items: v.tuple([textBlock, actionSet]) })

/** Adaptive Cards 1.4, in the message that an incoming webhook of Teams takes. */
const teams = v.strictObject({
  type: v.literal("message"),
  attachments: v.tuple([
    v.strictObject({
      contentType: v.literal("application/vnd.microsoft.card.adaptive"),
      contentUrl: v.null(),
      content: v.strictObject({
        $schema: v.literal("http://adaptivecards.io/schemas/adaptive-card.json"),
        type: v.literal("AdaptiveCard"),
        version: v.literal("1.4"),
        body: v.array(v.variant("type", [textBlock, container])),
      }),
    }),
  ]),
})
const mattermost = v.strictObject({ text: atMost(16_383) })
const discord = v.strictObject({
  content: atMost(2_000),
  allowed_mentions: v.strictObject({ parse: v.tuple([]) }),
  flags: v.literal(4),
})

const readers = {
  slack: (json: unknown) => {
    const { text, blocks } = v.parse(slack, json)
    const lines = blocks.map((block) => block.text.text)
    if (lines[0] !== text) throw new Error("the notification says something else than the message")
    return lines
  },
  teams: (json: unknown) => {
    const [{ content }] = v.parse(teams, json).attachments
    return content.body.map((part) => {
      if (part.type === "TextBlock") return part.text
      const [text, { actions }] = part.items
      return `${text.text} [${actions[0].title}](${actions[0].url})`
    })
  },
  mattermost: (json: unknown) => v.parse(mattermost, json).text.split("\n"),
  discord: (json: unknown) => v.parse(discord, json).content.split("\n"),
}

export const CHAT_FORMATS = ["slack", "teams", "mattermost", "discord"] as const

/** @throws when the platform would not take the body */
export function linesOfChat(format: (typeof CHAT_FORMATS)[number], body: string): readonly string[] {
  if (Buffer.byteLength(body) > 28_000) throw new Error("the body is too long")
  return readers[format](JSON.parse(body))
}

/** The links of a message, whatever its format. */
export const linksOfChat = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => /(?:\[Open\]\(|<)(https?:[^)|]+)/.exec(line)?.[1] ?? [])
