import { quoted } from "../wording.ts"
import type { Link, Text } from "./document.ts"
import { lineFinder } from "./lines.ts"
import type { Problem } from "./problem.ts"

const VAGUE = /^(?:here|click here|this|this link|link|more|read more)$/i

/** The problems of the links and images of a text. */
export function linkProblems(text: Text): Problem[] {
  const problem = (line: number, message: string): Problem => ({ kind: "link", message, line })
  const anchors = new Set(text.headings.map(({ text }) => slug(text)))
  const each = text.links.flatMap((link) => {
    const { kind, target, line } = link
    const what = `${kind} ${quoted(link.text === "" ? target : link.text)}`
    return [
      ...(target === "" ? [problem(line, `the ${what} has no target`)] : []),
      ...(link.text === ""
        ? [
            problem(
              line,
              kind === "image"
                ? `the image ${quoted(target)} has no alternative text`
                : `the link to ${quoted(target)} has no text`,
            ),
          ]
        : []),
      ...(malformed(target) ? [problem(line, `the ${what} has a malformed target, ${quoted(target)}`)] : []),
      ...(link.bare ? [problem(line, `the address ${quoted(target)} has no link text`)] : []),
      ...(kind === "link" && VAGUE.test(link.text)
        ? [problem(line, `the link text ${quoted(link.text)} does not say where the link leads`)]
        : []),
      ...(target.startsWith("#") && target.length > 1 && !anchors.has(target.slice(1).toLowerCase())
        ? [problem(line, `the ${what} leads to ${quoted(target)}, but no heading has that anchor`)]
        : []),
    ]
  })
  return [...each, ...differently(text.links), ...unparsed(text)]
}

/** Links with the same target and different texts, and links with the same text and different targets. */
function differently(links: readonly Link[]): Problem[] {
  const byTarget = new Map<string, Link>()
  const byText = new Map<string, Link>()
  return links.flatMap((link) => {
    if (link.kind !== "link" || link.bare || link.target === "" || link.text === "") return []
    const sameTarget = byTarget.get(link.target)
    const sameText = byText.get(link.text.toLowerCase())
    if (!sameTarget) byTarget.set(link.target, link)
    if (!sameText) byText.set(link.text.toLowerCase(), link)
    return [
      ...(sameTarget && sameTarget.text !== link.text
        ? [
            {
              kind: "link" as const,
              line: link.line,
              message: `${quoted(link.text)} and ${quoted(sameTarget.text)} on line ${sameTarget.line} lead to the same address, ${quoted(link.target)}`,
            },
          ]
        : []),
      ...(sameText && sameText.target !== link.target
        ? [
            {
              kind: "link" as const,
              line: link.line,
              message: `${quoted(link.text)} leads to ${quoted(link.target)} here, but to ${quoted(sameText.target)} on line ${sameText.line}`,
            },
          ]
        : []),
    ]
  })
}

/** Text that looks like a link and is no link in CommonMark: a space in the target, brackets in the wrong order, an unknown reference. */
function unparsed({ source, prose, format, kept }: Text): Problem[] {
  if (format !== "Markdown") return []
  const lineAt = lineFinder(source)
  const definitions = new Set(
    [...source.matchAll(/^ {0,3}\[([^\]\n]+)\]:/gm)].map(([, label]) => (label ?? "").toLowerCase()),
  )
  const find = (text: string, pattern: RegExp, tell: (match: RegExpMatchArray) => string | undefined): Problem[] =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const message = tell(match)
      return message === undefined ? [] : [{ kind: "link" as const, message, line: lineAt(match.index) }]
    })
  // All repetitions in these expressions are bounded, because a hostile line may have 100,000 brackets.
  const blanks = find(
    source,
    /(?<=\])\(([^()"'<>\s]{1,200}[ \t][^()"'<>\n]{1,200})\)/g,
    ([, target = ""]) => `the target ${quoted(target)} contains a space, so this is no link`,
  )
  const swapped = find(
    source,
    /(?<!\])\(([^()\n]{1,80})\)\[https?:\/\/[^\]\s]{1,200}\]/g,
    ([, text = ""]) => `the round and the square brackets at ${quoted(text)} are the wrong way round`,
  )
  return [
    ...[...blanks, ...swapped].filter(({ line }) => !kept.has(line)),
    ...find(prose, /\[([^[\]\n]{1,200})\]\[([^[\]\n]{0,200})\]/g, ([, text = "", label = ""]) =>
      definitions.has((label || text).toLowerCase())
        ? undefined
        : `the reference ${quoted(label || text)} is not defined`,
    ),
  ]
}

function malformed(target: string): boolean {
  if (/^https?:/i.test(target)) return !/^https?:\/\/[^/]/i.test(target) || !URL.canParse(target)
  return /^(?:h?t+ps?|https?)[:/]*\/\//i.test(target) || /\s/.test(target) || /^www\./i.test(target)
}

/** The anchor that GitHub gives a heading. */
export function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
    .replace(/\s/g, "-")
}
