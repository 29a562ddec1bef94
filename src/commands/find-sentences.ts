/** Finds the texts in the source code that a person can read: JSX text and attributes, refusals, mails, chats, and the command line. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type ESTree, parseSync, Visitor } from "vite"

/** A text, with `…` for each value in it, and the file and line where it begins. */
export type Sentence = {
  readonly file: string
  readonly line: number
  readonly text: string
  readonly words: number
  /** Whether it explains a field: a hint, a placeholder, or in a constant of hints. */
  readonly isHint: boolean
}

/** Tests, their helpers and generated files. */
const NO_PRODUCT = /\.(test|bench|d)\.tsx?$|(^|[\\/])(testing|node_modules|contract-types)[\\/]/
/** JSX attributes whose value is always shown. */
const SHOWN_ATTRIBUTES = new Set(["title", "label", "hint", "placeholder", "alt", "heading", "aria-label", "inactive"])
/** JSX attributes whose value is code. In any other attribute a text counts if it reads like a sentence. */
const CODE_ATTRIBUTES = new Set(["className", "d", "viewBox", "transform"])
/** Attributes and constants whose texts explain a field. */
const HINTS = /^(hint|placeholder|(.*_)?HINTS|hints)$/
const SQL =
  /^(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|FROM|WHERE|ORDER BY|AND|VALUES|ON CONFLICT|PRAGMA|BEGIN|ROLLBACK|SAVEPOINT|RELEASE|LISTEN|UNION ALL|SET)\b|\bSELECT\b|…? ?\bWHERE\b|\bON CONFLICT\b|\bORDER BY\b|\bLIMIT …| [=<>] (\?|excluded\.)/
/** The method and path of a route, and the attributes of a header such as a cookie's. */
const HTTP = /^(GET|HEAD|POST|PUT|DELETE) [/…]|; (Max-Age|SameSite)=|^[A-Z][a-z]+(-[A-Z][a-z]+)+: …$|^HTTP\/|'self'/
/** Elements within a sentence. */
const INLINE = new Set(["a", "b", "code", "em", "i", "kbd", "span", "strong", "time"])

/** The texts of every program under the folder `root`, ordered by file and line, without tests and generated files. */
export function findSentences(root: string): readonly Sentence[] {
  const files = ["src", "public"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(tsx?|js)$/.test(file) && !NO_PRODUCT.test(file))
      .map((file) => join(folder, file).replaceAll("\\", "/")),
  )
  return files.toSorted().flatMap((file) => readSentences(file, readFileSync(join(root, file), "utf8")))
}

/** The texts of one file. The code doesn't show which strings appear on the screen, so every string that reads like a sentence or a label counts. */
export function readSentences(file: string, code: string): readonly Sentence[] {
  const found = new Map<number, Sentence>()
  /** Where hints begin and end. */
  const hints: (readonly [number, number])[] = []
  const add = (start: number, raw: string) => {
    const text = raw.replaceAll(/\s+/g, " ").trim()
    const words = text.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0
    if (!/\p{L}{2}/u.test(text) || found.has(start)) return
    const isHint = hints.some(([first, end]) => first <= start && start < end)
    found.set(start, { file, line: code.slice(0, start).split("\n").length, text, words, isHint })
  }
  const addString = (start: number, text: string) => {
    const shown = text.startsWith("<") ? text.replaceAll(/<style>.*?<\/style>|<[^>]*>/gs, " ") : text
    if (isSentence(shown)) add(start, shown)
  }
  /** Start positions of nodes that have no text, or whose text is already part of a longer one. */
  const skipped = new Set<number>()
  new Visitor({
    ImportDeclaration: ({ source }) => void skipped.add(source.start),
    TSLiteralType: ({ literal }) => void skipped.add(literal.start),
    VariableDeclarator({ id, start, end }) {
      if (id.type === "Identifier" && HINTS.test(id.name)) hints.push([start, end])
    },
    JSXElement: ({ children }) => addChildren(children),
    JSXFragment: ({ children }) => addChildren(children),
    JSXAttribute({ name, value }) {
      if (value === null || name.type !== "JSXIdentifier") return
      if (HINTS.test(name.name)) hints.push([value.start, value.end])
      if (value.type !== "Literal") return
      skipped.add(value.start)
      if (SHOWN_ATTRIBUTES.has(name.name)) add(value.start, value.value)
      else if (!CODE_ATTRIBUTES.has(name.name)) addString(value.start, value.value)
    },
    BinaryExpression(node) {
      if (node.operator !== "+" || skipped.has(node.start)) return
      const text = joinTexts(node)
      if (text === undefined) return
      skipped.add(node.start)
      addString(node.start, text)
    },
    TemplateLiteral(node) {
      if (!skipped.has(node.start)) addString(node.start, textOf(node) ?? "")
    },
    Literal({ start, value }) {
      if (typeof value === "string" && !skipped.has(start)) addString(start, value)
    },
  }).visit(parseSync(file, code).program)
  return [...found.values()].toSorted((one, other) => one.line - other.line)

  function addChildren(children: readonly ESTree.JSXChild[]): void {
    const first = children.find((child) => child.type === "JSXText" && child.value.trim() !== "")
    if (first === undefined || skipped.has(first.start)) return
    add(first.start, children.map(textOfChild).join(""))
  }

  function textOfChild(child: ESTree.JSXChild): string {
    if (child.type === "JSXText") {
      skipped.add(child.start)
      return child.value
    }
    if (child.type === "JSXExpressionContainer" && child.expression.type === "Literal") {
      skipped.add(child.expression.start)
      return String(child.expression.value)
    }
    const isInline = child.type === "JSXElement" && INLINE.has(nameOf(child))
    return isInline ? child.children.map(textOfChild).join("") : "…"
  }

  /** The text of an addition of strings, or undefined if no operand is a string. */
  function joinTexts({ left, right }: ESTree.BinaryExpression): string | undefined {
    const operands = [left, right].map((side) =>
      side.type === "BinaryExpression" && side.operator === "+" ? joinTexts(side) : textOf(side),
    )
    if (operands.every((operand) => operand === undefined)) return undefined
    skipped.add(left.start).add(right.start)
    return operands.map((operand) => operand ?? "…").join("")
  }
}

function textOf(node: ESTree.Node): string | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined
  if (node.type !== "TemplateLiteral") return undefined
  return node.quasis.map(({ value }) => value.cooked ?? value.raw).join("…")
}

const nameOf = ({ openingElement: { name } }: ESTree.JSXElement): string =>
  name.type === "JSXIdentifier" ? name.name : ""

/** Whether a text has two or more words and begins or ends like a sentence. */
function isSentence(text: string): boolean {
  const plain = text.trim()
  if (!/\s/.test(plain) || SQL.test(plain) || HTTP.test(plain)) return false
  return /^["“`']?(…|\p{Lu}|\d)/u.test(plain) || /[.?!:]$/.test(plain) || /^\p{Ll}+(,? [\p{L}…'-]+){3,}$/u.test(plain)
}
