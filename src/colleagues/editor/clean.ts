import type { Token, Tokens } from "marked"
import { frontMatter } from "./document.ts"
import type { Heading, Text } from "./document.ts"
import { TooCostly, lex } from "./lexer.ts"
import { isHardBreak, repetitionsIn } from "./problem.ts"

/** `leave` changes nothing, `tidy` changes spaces and line ends, `repair` also changes repeated words and heading levels. */
export type Level = "leave" | "tidy" | "repair"

export type Cleaned = { readonly content: string; readonly changes: readonly Change[] }

/** A change. `what` is a clause, for instance `a repeated “the” removed`. */
export type Change = { readonly what: string; readonly line: number | undefined }

/** Makes the cleaned copy of a text, and lists its changes. Code, HTML and front matter stay unchanged. */
export function clean(text: Text, level: Level): Cleaned {
  if (level === "leave") return { content: text.source, changes: [] }
  const changes: Change[] = []
  let { source } = text
  if (level === "repair") {
    const slips = repetitionsIn(text).filter(({ certain }) => certain)
    source =
      slips.map(({ start }, index) => text.source.slice(slips[index - 1]?.end ?? 0, start)).join("") +
      text.source.slice(slips.at(-1)?.end ?? 0)
    changes.push(...slips.map(({ word, line }) => ({ what: `a repeated “${word}” removed`, line })))
  }
  const tidied = tidy(source, text)
  if (level !== "repair" || text.format !== "Markdown")
    return { content: tidied.content, changes: [...changes, ...tidied.changes] }
  const levelled = repairHeadings(tidied.content)
  return { content: levelled.content, changes: [...changes, ...levelled.changes, ...tidied.changes] }
}

/** Tidies spaces and empty lines. `source` has the same lines as `text`, because a repeated word is removed without its line end. */
function tidy(source: string, { format, kept: verbatim }: Text): Cleaned {
  const lines = source.split("\n")
  let trailing = 0
  let gaps = 0
  const kept: string[] = []
  lines.forEach((line, index) => {
    if (verbatim.has(index + 1)) {
      kept.push(line)
      return
    }
    const trimmed = trimBlanks(line) + (isHardBreak(lines, index, format) ? "  " : "")
    if (trimmed !== line) trailing += 1
    if (trimmed === "" && kept.at(-1) === "") gaps += 1
    else kept.push(trimmed)
  })
  const content = `${trimLines(kept.join("\n"))}\n`
  return {
    content,
    changes: [
      ...(trailing > 0
        ? [{ what: `blanks taken off the end of ${trailing} ${trailing === 1 ? "line" : "lines"}`, line: undefined }]
        : []),
      ...(gaps > 0
        ? [{ what: `${gaps} surplus empty ${gaps === 1 ? "line" : "lines"} removed`, line: undefined }]
        : []),
      ...(source.endsWith("\n") ? [] : [{ what: "the last line ended", line: undefined }]),
    ],
  }
}

/**
 * Computes heading levels without gaps: a heading is at most one level below the heading above it. If the first heading is the only one of
 * the highest level, it is the title and becomes level 1.
 */
export function repairedLevels(headings: readonly Pick<Heading, "level">[]): readonly number[] {
  const highest = Math.min(...headings.map(({ level }) => level))
  const titled = headings[0]?.level === highest && headings.filter(({ level }) => level === highest).length === 1
  const above: { level: number; repaired: number }[] = []
  return headings.map(({ level }, index) => {
    while ((above.at(-1)?.level ?? 0) >= level) above.pop()
    const parent = above.at(-1)
    const root = titled && index === 0 ? 1 : level
    const repaired = parent ? Math.min(level, parent.repaired + 1) : root
    above.push({ level, repaired })
    return repaired
  })
}

function repairHeadings(source: string): Cleaned {
  const front = frontMatter(source)
  const tokens = tokensOf(source.slice(front.length))
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === "heading")
  const repaired = repairedLevels(headings.map(({ depth }) => ({ level: depth })))
  const changes: Change[] = []
  let next = 0
  const parts = tokens.map((token) => {
    const heading = headings[next]
    if (heading !== token) return token.raw
    const level = repaired[next] ?? heading.depth
    next += 1
    if (level === heading.depth) return token.raw
    changes.push({
      what: `the heading “${heading.text}” moved from level ${heading.depth} to level ${level}`,
      line: undefined,
    })
    const marks = "#".repeat(level)
    const after = heading.raw.slice(heading.raw.trimEnd().length).replace(/[^\n]/g, "")
    return /^ {0,3}#/.test(heading.raw)
      ? heading.raw.replace(/#+/, marks)
      : `${marks} ${heading.text
          .split("\n")
          .map((part) => part.trim())
          .join(" ")}${after}`
  })
  return { content: front + parts.join(""), changes }
}

/** The tokens of a text. A text that would take too long to parse is one token, so that no heading is changed. */
function tokensOf(source: string): readonly Token[] {
  try {
    return lex(source)
  } catch (error) {
    if (error instanceof TooCostly) return [{ type: "text", raw: source, text: source } satisfies Tokens.Text]
    throw error
  }
}

/** Removes the spaces and tabs at the end of a line. A regular expression would take quadratic time for many spaces within the line. */
function trimBlanks(line: string): string {
  let end = line.length
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t")) end -= 1
  return line.slice(0, end)
}

/** The text without the empty lines at its beginning and its end. */
function trimLines(text: string): string {
  let [start, end] = [0, text.length]
  while (text[start] === "\n") start += 1
  while (end > start && text[end - 1] === "\n") end -= 1
  return text.slice(start, end)
}
