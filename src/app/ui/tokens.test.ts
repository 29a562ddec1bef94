import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { describe, expect, it } from "vitest"

const APP = join(import.meta.dirname, "..")
const sheets = globSync("**/*.css", { cwd: APP }).map((file) => ({
  file,
  text: readFileSync(join(APP, file), "utf8").replaceAll(/\/\*.*?\*\//gs, ""),
}))
const modules = sheets.filter(({ file }) => file.endsWith(".module.css"))
const all = sheets.map(({ text }) => text).join("\n")

type Declaration = { file: string; property: string; value: string }
const declarations: Declaration[] = sheets.flatMap(({ file, text }) =>
  [...text.matchAll(/([\w-]+):\s*([^;{}]+);/g)].map(([, property = "", value = ""]) => ({ file, property, value })),
)

/** The rules of a style sheet as "[@media …] { sorted declarations }", without their selectors. */
function rulesOf(text: string, media = ""): string[] {
  const blocks = [...text.matchAll(/([^{}]+)\{((?:[^{}]|\{[^{}]*\})*)\}/g)]
  return blocks.flatMap(([, head = "", body = ""]) => {
    if (head.trim().startsWith("@keyframes")) return []
    if (head.trim().startsWith("@")) return rulesOf(body, head.trim())
    const lines = body.split(";").flatMap((line) => (line.includes("composes:") ? [] : line.trim() || []))
    // One declaration is a use of a token, and `composes` is a use of a class. Two and more declarations are a rule.
    return lines.length < 2 ? [] : [`${media} { ${lines.sort().join("; ")} }`.trim()]
  })
}

/** The declarations of the style sheets that use the tokens, as "file: property: value". */
const literals = (property: RegExp, value: RegExp) =>
  declarations
    .filter((each) => each.file !== "ui/tokens.css" && property.test(each.property) && value.test(each.value))
    .map((each) => `${each.file}: ${each.property}: ${each.value}`)

describe("the style sheets", () => {
  it("take spacing from the tokens", () => {
    // A border of 1px may be part of a sum.
    expect(
      literals(/^(padding|margin|gap|row-gap|column-gap|scroll-)/, /(?<![\w.-])-?(?!1px\))[1-9][\d.]*(px|r?em)/),
    ).toEqual([])
  })

  it("take radii from the tokens", () => {
    expect(literals(/radius$/, /[1-9][\d.]*(px|r?em)/)).toEqual([])
  })

  it("take weights from the tokens", () => {
    expect(literals(/^font(-weight)?$/, /(?<![\d.-])[1-9]00|\b[1-9]\d{2}\b|bold|lighter/)).toEqual([])
  })

  it("change at the three widths that tokens.css names, and at no other", () => {
    const widths = [...all.matchAll(/@media[^{]*/g)].flatMap(([query]) => query.match(/\([^)]*width[^)]*\)/g) ?? [])
    expect([...new Set(widths)].sort()).toEqual(["(max-width: 1100px)", "(max-width: 720px)", "(min-width: 1600px)"])
  })

  it("use every token that is declared, and declare every token that is used", () => {
    const declared = declarations.map(({ property }) => property).filter((property) => property.startsWith("--"))
    const used = [...all.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name)
    expect([...new Set(declared)].sort()).toEqual([...new Set(used)].sort())
  })

  it("say no rule of two or more declarations twice", () => {
    const rules = sheets.flatMap(({ text }) => rulesOf(text))
    expect(rules.filter((rule, index) => rules.indexOf(rule) !== index)).toEqual([])
  })

  it("have names that differ, because a class is named after its style sheet", () => {
    const names = modules.map(({ file }) => basename(file))
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })
})
