import { expect, test } from "vitest"
import { writeChatMessage } from "./chat-formats.ts"
import { formatItem } from "./mail-text.ts"
import { CHAT_FORMATS, linesOfChat, linksOfChat } from "../testing/chat-message.ts"
import { itemForTest } from "../testing/items.ts"

const URL_OF_ITEM = "https://desk.example/approvals?item=approval_1"
const HEADING = "An approval waits"

/** The second line of a message: an approval of a colleague with this label. */
function lineWith(format: (typeof CHAT_FORMATS)[number], label: string): string {
  const item = itemForTest("1", {}, { since: 0 })
  const text = formatItem({ item, steps: ["told"] }, { now: 60_000, labelOf: () => label })
  const [heading, line, ...others] = linesOfChat(
    format,
    writeChatMessage(format, HEADING, [{ text, url: URL_OF_ITEM }]),
  )
  expect([heading, others]).toEqual([HEADING, []])
  return String(line)
}

const HOSTILE = [
  "<!channel> <!here> <@U123> <#C123> <https://evil.example|x>",
  "@everyone @here @channel @all",
  "[free](https://evil.example) ![x](https://evil.example/x.png)",
  "**bold** __under__ _it_ ~~struck~~ ||spoiler|| `code` :fire: #tag ~town-square",
  "https://evil.example www.evil.example evil.example ada@evil.example www.4you WWW2.4you",
  "a\n# b\r\n> c\u2028- d",
  "\u202Egnp.exe \u2066x\u2069 \u200Bz\u200D \u200E",
  "</at><at>Ada</at> {{DATE(2026-01-01T00:00:00Z)}} \\*x\\*",
  "é_x_é ___x___ a__b__c",
  // Mattermost reads an entity before it looks for mentions.
  "&commat;channel &num;tag &lt;b",
]

test.each(CHAT_FORMATS)("in %s no text of a label is a mention, a link, a style or a line of its own", (format) => {
  for (const label of HOSTILE) {
    const line = lineWith(format, label)
    expect(linksOfChat([line])).toEqual([URL_OF_ITEM])
    const said = line.slice(0, format === "slack" ? line.lastIndexOf("<") : line.lastIndexOf("["))
    expect(said, label).not.toMatch(
      /[<>*`\\]|[@#:~]\S|&(?!(?:amp|lt|gt);)\w+;|\]\(|\{\{|\|\||\p{Cc}|\p{Cf}|\p{Zl}|__|\b_|_\b|\.[a-z]|www\d*\./iu,
    )
    expect(said).toMatch(/^An approval, .*, waiting for 1 minute $/)
  }
  expect(lineWith(format, "x".repeat(10_000)).length).toBeLessThan(250)
  const usual = lineWith(format, "Müller & Co.: data_analyst 4.1 [EU] (#1 | 2)")
  const ampersand = format === "slack" ? "&amp;" : "&"
  expect(usual).toContain(
    `An approval, Müller ${ampersand} Co.: data_analyst 4.1 [EU] (＃1 | 2), waiting for 1 minute `,
  )
})

test("a label is escaped as Slack asks", () => {
  expect(lineWith("slack", "<!channel> & co")).toContain("&lt;!channel&gt; &amp; co")
})

test.each([
  ["slack", 48],
  ["teams", 100],
  ["mattermost", 150],
  ["discord", 14],
] as const)(
  "in %s a message that is too long has about %i lines, and says how many more there are",
  (format, about) => {
    const lines = Array.from({ length: 500 }, (_, index) => ({
      text: `An approval, Data analyst, waiting for ${index} days`,
      url: `https://desk.example/approvals?item=approval_${index}`,
    }))
    const [heading, ...shown] = linesOfChat(format, writeChatMessage(format, "500 items wait", lines))
    const links = linksOfChat(shown)
    expect(heading).toBe("500 items wait")
    expect(links).toEqual(lines.slice(0, links.length).map(({ url }) => url))
    expect(shown.at(-1)).toBe(`and ${500 - links.length} more`)
    expect(shown).toHaveLength(links.length + 1)
    expect(links.length / about).toBeGreaterThan(0.8)
  },
)

test.each(CHAT_FORMATS)("in %s a line that would not fit alone is one of the others that are counted", (format) => {
  const long = {
    text: "An approval, Data analyst",
    url: `https://desk.example/approvals?item=${"%C3%A4".repeat(6_000)}`,
  }
  const short = { text: "An approval, Data analyst", url: URL_OF_ITEM }
  const shown = linesOfChat(format, writeChatMessage(format, "2 items wait", [long, short]))
  expect(linksOfChat(shown)).toEqual([URL_OF_ITEM])
  expect(shown.at(-1)).toBe("and 1 more")
  expect(linesOfChat(format, writeChatMessage(format, "1 item", [long]))).toEqual(["1 item", "and 1 more"])
})
