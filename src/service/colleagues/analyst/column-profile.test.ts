import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { findingsOf } from "./finding.ts"
import { groupBy } from "./group.ts"
import { readTable } from "./read-table.ts"
import { type ColumnProfile, profileTable } from "./column-profile.ts"
import type { Table } from "./table.ts"

function tableOf(content: string, name = "file.csv"): Table {
  const mediaType = name.endsWith(".json") ? "application/json" : "text/csv"
  const table = readTable({ name, mediaType, content })
  if ("reason" in table) throw new Error(table.reason)
  return table
}

const DATA = join(import.meta.dirname, "../../../../node_modules/vega-datasets/data")

function publicTable(name: string): Table {
  return tableOf(readFileSync(join(DATA, name), "utf8"), name)
}

function column(table: Table, name: string): ColumnProfile {
  const found = profileTable(table).find((one) => one.name === name)
  if (!found) throw new Error(`there is no column ${name}`)
  return found
}

/** The only column of a CSV file with these cells. */
const of = (...cells: string[]): ColumnProfile =>
  column(tableOf(`v\n${cells.map((cell) => `"${cell}"`).join("\n")}\n`), "v")

// Computed from the same files with Python 3.11's `statistics`: quantiles(n=4, method="inclusive"), fmean and stdev.
const FIGURES = [
  ["seattle-weather.csv", "precipitation", 0, 111, [0, 0, 0, 2.8, 55.9], 3.02943189596167, 6.680194322314738],
  ["seattle-weather.csv", "temp_max", 0, 67, [-1.6, 10.6, 15.6, 22.2, 35.6], 16.43908281998631, 7.349758097360177],
  ["seattle-weather.csv", "wind", 0, 79, [0.4, 2.2, 3, 4, 9.5], 3.24113620807666, 1.4378250588746195],
  ["cars.json", "Miles_per_Gallon", 8, 129, [9, 17.5, 23, 29, 46.6], 23.514572864321607, 7.8159843125657815],
  ["cars.json", "Horsepower", 6, 93, [46, 75.75, 95, 130, 230], 105.0825, 38.768779183105195],
  ["cars.json", "Weight_in_lbs", 0, 356, [1613, 2226.5, 2822.5, 3618.25, 5140], 2979.4137931034484, 847.0043282393509],
  [
    "penguins.json",
    "Beak Length (mm)",
    2,
    164,
    [32.1, 39.225, 44.45, 48.5, 59.6],
    43.9219298245614,
    5.4595837139265315,
  ],
  ["penguins.json", "Body Mass (g)", 2, 94, [2700, 3550, 4050, 4750, 6300], 4201.754385964912, 801.9545356980955],
] as const

test.each(FIGURES)(
  "%s, %s: has the figures that Python computes",
  (file, name, missing, distinct, [min, q1, median, q3, max], mean, deviation) => {
    const profile = column(publicTable(file), name)
    expect(profile).toMatchObject({ missing, distinct, numbers: { min, max } })
    expect(profile.numbers?.q1).toBeCloseTo(q1, 10)
    expect(profile.numbers?.median).toBeCloseTo(median, 10)
    expect(profile.numbers?.q3).toBeCloseTo(q3, 10)
    expect(profile.numbers?.mean).toBeCloseTo(mean, 10)
    expect(profile.numbers?.standardDeviation).toBeCloseTo(deviation, 10)
  },
)

test("categories and dates of public data", () => {
  expect(column(publicTable("penguins.json"), "Species").frequent).toEqual([
    { value: "Adelie", count: 152 },
    { value: "Gentoo", count: 124 },
    { value: "Chinstrap", count: 68 },
  ])
  expect(column(publicTable("cars.json"), "Name")).toMatchObject({ type: "text", distinct: 311 })
  expect(column(publicTable("seattle-weather.csv"), "date")).toMatchObject({
    type: "date",
    distinct: 1461,
    dates: { earliest: Date.UTC(2012, 0, 1), latest: Date.UTC(2015, 11, 31) },
  })
})

test("groups of public data have the known means", () => {
  const weather = profileTable(publicTable("seattle-weather.csv"))
  const by = groupBy(weather, column(publicTable("seattle-weather.csv"), "weather"))
  const warm = by.measures.findIndex(({ name }) => name === "temp_max")
  expect(by.groups.map(({ label, rows }) => [label, rows])).toEqual([
    ["rain", 641],
    ["sun", 640],
    ["fog", 101],
    ["drizzle", 53],
    ["snow", 26],
  ])
  expect(by.groups[1]?.means[warm]).toBeCloseTo(19.861875, 10)
  expect(by.groups[4]?.means[warm]).toBeCloseTo(5.573076923076924, 10)
})

describe("a column's type", () => {
  test.each<[string[], string]>([
    [["1", "2"], "integer"],
    [["1", "2.5"], "number"],
    [["1", ""], "integer"],
    [["1", "NA"], "integer"],
    [["2.5", "NaN", "n/a"], "number"],
    [["NA", "ZA"], "text"],
    [["NA", "NA"], "text"],
    [["yes", "no"], "boolean"],
    [["yes", "maybe"], "text"],
    [["1", "one"], "mixed"],
    [["1", "Infinity"], "mixed"],
    [["007", "12"], "text"],
    [["2024-01-01", "2024/01/02"], "date"],
    [["2024-01-01T10:00Z", "2024-02-30"], "mixed"],
    [["2024-01-01", "soon"], "mixed"],
    [["13/5/2024", "4/5/2024"], "text"],
    [["", " "], "empty"],
    [["1,234", "2,000"], "text"],
  ])("of %j is %s", (cells, type) => {
    expect(of(...cells).type).toBe(type)
  })
})

describe("at the edges", () => {
  test("one value is its own quartiles and has no deviation", () => {
    expect(of("5").numbers).toMatchObject({
      min: 5,
      q1: 5,
      median: 5,
      q3: 5,
      max: 5,
      mean: 5,
      standardDeviation: undefined,
      outliers: 0,
    })
  })

  test("no rows and no values have no figures", () => {
    expect(column(tableOf("v\n,\n".replace(",", '" "')), "v")).toMatchObject({
      type: "empty",
      missing: 1,
      numbers: undefined,
    })
    expect(column(tableOf("a,v\n"), "v")).toMatchObject({ rows: 0, type: "empty", distinct: 0 })
  })

  test("equal numbers are one value however they are written, and large identifiers stay apart", () => {
    expect(of("10", "10.0", "1e1").distinct).toBe(1)
    expect(of("9007199254740993", "9007199254740992").distinct).toBe(2)
  })

  test("each repetition of an earlier row counts", () => {
    const table = tableOf("a,b\n1,2\n1,2\n1,2\n2,1\n,\n,\n")
    expect(findingsOf(table, profileTable(table))[0]).toMatchObject({ kind: "duplicate_rows", count: 3 })
  })

  test("numbers with many values are grouped at their quartiles, and every row is in a group", () => {
    const table = tableOf(`n\n${Array.from({ length: 100 }, (_, index) => index).join("\n")}\n`)
    const { groups } = groupBy(profileTable(table), column(table, "n"))
    expect(groups.map(({ label, rows }) => [label, rows])).toEqual([
      ["0 to 24.75", 25],
      ["over 24.75 to 49.5", 25],
      ["over 49.5 to 74.25", 25],
      ["over 74.25 to 99", 25],
    ])
  })

  test("further values share one group, and missing values have a group of their own", () => {
    const table = tableOf(
      `k,n\n${Array.from({ length: 40 }, (_, index) => `k${index % 20},${index}`).join("\n")}\n,1\n`,
    )
    const { groups } = groupBy(profileTable(table), column(table, "k"))
    expect(groups).toHaveLength(13)
    expect(groups.slice(-2)).toMatchObject([
      { label: "9 other values", kind: "other", rows: 18 },
      { label: "no value", kind: "missing", rows: 1 },
    ])
    expect(groups.reduce((sum, { rows }) => sum + rows, 0)).toBe(41)
  })
})
