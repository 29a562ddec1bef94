import { describe, expect, test } from "vitest"
import { destinationsIn } from "./letter.ts"
import { readTable } from "./read-table.ts"
import { recommend, understand } from "./column-choice.ts"
import { profileTable } from "./column-profile.ts"

function columnsOf(content: string) {
  const table = readTable({ name: "file.csv", mediaType: "text/csv", content })
  if ("reason" in table) throw new Error(table.reason)
  return profileTable(table)
}

const columns = columnsOf(
  "Origin,temp,temp_max,Miles per gallon,origin code\nUSA,1,2,3,4\nUSA,2,3,4,5\nJapan,9,3,4,6\nJapan,9,9,4,7\n",
)
const recommendation = recommend(columns, "") ?? { column: columns[0] ?? neverEmpty(), because: "" }
const ACTION = "Group by “Origin”: better than temp_max."

function neverEmpty(): never {
  throw new Error("there are columns")
}

describe("an answer", () => {
  test.each([
    ["temp_max", "temp_max"],
    ["Please use TEMP_MAX.", "temp_max"],
    ['Take "Miles per gallon"!', "Miles per gallon"],
    ["“temp”, not temp_max", "temp"],
    ["not Origin but temp", "temp"],
    ["origin code, please", "origin code"],
    ["yes", "Origin"],
    ["Use recommendation", "Origin"],
    ["As recommended, thanks", "Origin"],
    [ACTION, "Origin"],
    ["Yes, but by temp_max", "temp_max"],
  ])("%j chooses %s", (answer, name) => {
    expect(understand(answer, columns, recommendation, ACTION)).toMatchObject({ column: { name }, understood: true })
  })

  test.each(["purple", "", "temperature", "no idea"])("%j takes the recommendation and says so", (answer) => {
    const choice = understand(answer, columns, recommendation, ACTION)
    expect(choice).toMatchObject({ column: { name: "Origin" }, understood: false })
    expect(choice.how).toContain("names no column")
  })
})

test("an answer with a capital İ, which lower-casing makes longer, still chooses the column of the exact name", () => {
  const both = columnsOf("town,Town\nA,1\nB,2\n")
  const choice = understand("İstanbul: Town", both, recommendation, ACTION)
  expect(choice).toMatchObject({ column: { name: "Town" }, understood: true })
})

describe("the recommendation", () => {
  test("is the column that the objective names", () => {
    expect(recommend(columns, "Compare by temp_max")).toMatchObject({
      column: { name: "temp_max" },
      because: "the objective names it",
    })
  })

  test("is the first text whose values repeat, and no identifier", () => {
    const rows = Array.from({ length: 40 }, (_, index) => `id${index},${index % 3},${index % 2 ? "a" : "b"},${index}`)
    expect(recommend(columnsOf(`id,code,good,value\n${rows.join("\n")}\n`), "")?.column.name).toBe("good")
  })

  test("is a date, a number or the column with the fewest missing values, if no column divides the rows into groups", () => {
    expect(recommend(columnsOf("name,day\na,2024-01-01\nb,2024-01-02\nc,2024-01-03\n"), "")?.column.name).toBe("day")
    expect(recommend(columnsOf("name,n\na,1\nb,2\nc,3\n"), "")?.column.name).toBe("n")
    expect(recommend(columnsOf("name,other\na,x\nb,\nc,z\n"), "")?.column.name).toBe("name")
    expect(recommend([], "")).toBeUndefined()
  })
})

test.each([
  ["Send it to ana.ruiz+q3@sales.example, please.", ["ana.ruiz+q3@sales.example"]],
  ["Post in #weather-desk.", ["#weather-desk"]],
  ["Put it at https://hooks.example/a?b=c#d.", ["https://hooks.example/a?b=c#d"]],
  ["First #one, then two@x.example (and #one again)", ["#one", "two@x.example"]],
  ["Close issue #12 and item no. 3", []],
  ["Profile the file", []],
])("destinations in %j", (objective, found) => {
  expect(destinationsIn(objective)).toEqual(found)
})
