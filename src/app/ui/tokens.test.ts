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

/** The relative luminance of WCAG of `#fff` or of `oklch(L% C H)`. */
function luminanceOf(color: string): number {
  if (color === "#fff") return 1
  const [lightness = 0, chroma = 0, hue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number)
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)]
  const [l, m, s] = [
    [0.3963377774, 0.2158037573],
    [-0.1055613458, -0.0638541728],
    [-0.0894841775, -1.291485548],
  ].map(([ofA = 0, ofB = 0]) => (lightness / 100 + ofA * a + ofB * b) ** 3)
  const inGamut = (value: number) => Math.min(1, Math.max(0, value))
  const [red, green, blue] = [
    [4.0767416621, -3.3077115913, 0.2309699292],
    [-1.2684380046, 2.6097574011, -0.3413193965],
    [-0.0041960863, -0.7034186147, 1.707614701],
  ].map(([ofL = 0, ofM = 0, ofS = 0]) => inGamut(ofL * (l ?? 0) + ofM * (m ?? 0) + ofS * (s ?? 0)))
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0)
}

/** The contrast of two tokens by day and by night. */
function contrastsOf(front: string, back: string): readonly number[] {
  const schemesOf = (name: string): readonly string[] => {
    const value = declarations.find(({ property }) => property === `--${name}`)?.value ?? ""
    return value.match(/oklch\([^)]*\)|#fff/g) ?? []
  }
  return [0, 1].map((scheme) => {
    const [one, other] = [front, back].map((name) => luminanceOf(schemesOf(name)[scheme] ?? "")).sort((a, b) => b - a)
    return ((one ?? 0) + 0.05) / ((other ?? 0) + 0.05)
  })
}

describe("the tokens", () => {
  const grounds = ["page", "sheet", "inset", "pick"]
  const words = [
    ...["ink", "ink-soft", "accent", "good", "warn", "bad"].flatMap((front) => grounds.map((back) => [front, back])),
    ["accent-ink", "accent"],
    ["ink", "accent-wash"],
    ["ink-soft", "accent-wash"],
    ["bad", "bad-wash"],
  ]

  it("keep 4.5:1 between text and its background, in both schemes", () => {
    const low = words.filter(([front = "", back = ""]) => Math.min(...contrastsOf(front, back)) < 4.5)
    expect(low).toEqual([])
  })

  it("keep 3:1 between the edge of a control and its surroundings", () => {
    for (const back of ["page", "sheet"]) expect(Math.min(...contrastsOf("edge", back)), back).toBeGreaterThanOrEqual(3)
  })
})

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

  it("change at the five widths that tokens.css names, and at no other", () => {
    const widths: readonly string[] = [...all.matchAll(/@media[^{]*/g)].flatMap(
      ([query]) => query.match(/\([^)]*width[^)]*\)/g) ?? [],
    )
    expect([...new Set(widths)].sort()).toEqual([
      "(max-width: 1023px)",
      "(max-width: 1100px)",
      "(max-width: 599.98px)",
      "(max-width: 720px)",
      "(min-width: 1600px)",
    ])
  })

  it("use every token that is declared, and declare every token that is used", () => {
    const declared = declarations.map(({ property }) => property).filter((property) => property.startsWith("--"))
    const used: readonly string[] = [...all.matchAll(/var\((--[\w-]+)/g)].map(([, name = ""]) => name)
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
