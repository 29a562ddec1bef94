/**
 * Draws the groups of each input as bars: the number of rows, and beside it the mean of the measure that differs most between the groups. The SVG
 * has no script, link, font or image, all text from a file is escaped, and it has a background of its own, so that it is readable on any page.
 * If a sanitiser removes the style element with the dark scheme, the attributes draw the light scheme.
 */
import { count, figure, visible } from "../wording.ts"
import { mostSpreadMeasure } from "./group.ts"
import type { Grouped } from "./result-types.ts"

const WIDTH = 760
const MARGIN = 28
const LABELS = 190
/** In pixels: the gap between the two plots, the height of a bar, the step from bar to bar, and the room for the figure beside a bar. */
const [GAP, BAR, STEP, FIGURE] = [24, 18, 28, 76]
/** The most characters of a label. At 13 px a character is 7 px wide on average. */
const LABEL_CHARACTERS = 25

export function chartSvg(grouped: readonly Grouped[]): string {
  const panels: string[] = []
  let top = MARGIN
  for (const one of grouped) {
    const panel = drawPanel(one, top)
    panels.push(panel.svg)
    top += panel.height + MARGIN
  }
  if (grouped.length === 0) {
    panels.push(words(MARGIN, top + 16, "No input could be read, so there is nothing to draw.", "ink"))
    top += 24 + MARGIN
  }
  const title = grouped.map(({ table }) => table.name).join(", ") || "Nothing to draw"
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" width="${WIDTH}" height="${top}" role="img" font-family="ui-sans-serif, system-ui, 'Segoe UI', sans-serif">`,
    `<title>${xml(title)}</title>`,
    `<style>@media (prefers-color-scheme: dark) { .paper { fill: #1b1e25; stroke: #343a46 } .ink { fill: #eceef3 } .soft { fill: #a9b0bf } .rule { stroke: #343a46 } .bar { fill: #8b93e8 } .bar-2 { fill: #58b99a } .faint { fill: #4b5263 } }</style>`,
    `<rect class="paper" x="0.5" y="0.5" width="${WIDTH - 1}" height="${top - 1}" rx="8" fill="#ffffff" stroke="#e2e5ea"/>`,
    ...panels,
    "</svg>\n",
  ].join("\n")
}

function drawPanel({ table, grouping }: Grouped, top: number): { svg: string; height: number } {
  const heading = words(MARGIN, top + 16, visible(table.name, 70), "ink", { size: 17, weight: 600 })
  if (!grouping || grouping.groups.length === 0) {
    return {
      svg: `${heading}\n${words(MARGIN, top + 40, "It has no rows, so there is nothing to draw.", "soft")}`,
      height: 44,
    }
  }
  const mostSpread = mostSpreadMeasure(grouping)
  const measure = grouping.measures[mostSpread]
  const plot = WIDTH - 2 * MARGIN - LABELS
  const width = (measure ? (plot - GAP) / 2 : plot) - FIGURE
  const left = MARGIN + LABELS
  const right = left + width + FIGURE + GAP
  const first = top + 74
  const rows = grouping.groups.map(({ rows }) => rows)
  const means = grouping.groups.map(({ means }) => (measure ? means[mostSpread] : undefined))
  const lines = grouping.groups.map((group, index) => {
    const y = first + index * STEP
    const isLabelOfAnalyst = group.kind === "missing" || group.kind === "other"
    return [
      label(y, group.label, !isLabelOfAnalyst),
      bar(left, y, width, group.rows, rows, isLabelOfAnalyst ? "faint" : "bar"),
      ...(measure ? [bar(right, y, width, means[index], means, isLabelOfAnalyst ? "faint" : "bar-2")] : []),
    ].join("\n")
  })
  const height = 74 + grouping.groups.length * STEP
  return {
    svg: [
      heading,
      words(
        MARGIN,
        top + 37,
        `${count(table.rows, "row")}, grouped ${grouping.manner} ${visible(grouping.by.name, 50)}`,
        "soft",
      ),
      words(left, top + 62, "Rows", "soft", { size: 12 }),
      ...(measure ? [words(right, top + 62, `Mean of ${visible(measure.name, 26)}`, "soft", { size: 12 })] : []),
      ...lines,
    ].join("\n"),
    height,
  }
}

/** A bar from zero to the value, with the figure at its right. `all` are the values of the panel, which decide the scale. */
function bar(
  left: number,
  y: number,
  width: number,
  value: number | undefined,
  all: readonly (number | undefined)[],
  tone: string,
): string {
  const known = [0, ...all.flatMap((one) => one ?? [])]
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const at = (one: number): number => left + (high === low ? 0 : ((one - low) / (high - low)) * width)
  const zero = at(0)
  const axis = `<line class="rule" x1="${round(zero)}" x2="${round(zero)}" y1="${y - 4}" y2="${y + BAR + 6}" stroke="#d5d9e0"/>`
  if (value === undefined) return `${axis}\n${words(zero + 8, y + 13, "no figure", "soft", { size: 12 })}`
  const [from, to] = value < 0 ? [at(value), zero] : [zero, at(value)]
  // A value other than 0 is at least a pixel wide, so that it can be seen.
  const drawn = Math.max(to - from, value === 0 ? 0 : 1)
  const fill = { bar: "#4b53b8", "bar-2": "#23765c", faint: "#aeb4c0" }[tone] ?? "#4b53b8"
  return [
    axis,
    `<rect class="${tone}" x="${round(from)}" y="${y}" width="${round(drawn)}" height="${BAR}" rx="2" fill="${fill}"/>`,
    words(to + 8, y + 13, figure(value), "ink", { size: 12 }),
  ].join("\n")
}

function label(y: number, text: string, isValue: boolean): string {
  const style = isValue ? "" : ' font-style="italic"'
  return `<text ${toneOf(isValue ? "ink" : "soft")} x="${MARGIN + LABELS - 12}" y="${y + 13}" text-anchor="end" font-size="13"${style}>${xml(visible(text, LABEL_CHARACTERS))}</text>`
}

function words(x: number, y: number, text: string, tone: "ink" | "soft", { size = 13, weight = 400 } = {}): string {
  return `<text ${toneOf(tone)} x="${round(x)}" y="${y}" font-size="${size}" font-weight="${weight}">${xml(text)}</text>`
}

const toneOf = (tone: "ink" | "soft") => `class="${tone}" fill="${tone === "ink" ? "#20242c" : "#5b6270"}"`

function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** Escapes text for XML. `visible` replaces the characters that XML 1.0 forbids. */
function xml(text: string): string {
  return visible(text, Number.POSITIVE_INFINITY)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}
