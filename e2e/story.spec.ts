import { readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { basename, join } from "node:path"
import type { Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import { decideAboutLetter, outbox } from "./story-verbs.ts"
import { chooseColleague } from "./new-work-verbs.ts"

test.use({ deskOptions: { upstream: "embedded", service: { pace: 0.1 } } })

/**
 * The whole path, as a newcomer walks it: the desk with its embedded service, a public data set, one colleague.
 * The figures that the result is held against are computed here, from the file, by schoolbook arithmetic of our own.
 */
const FILE = join(import.meta.dirname, "../node_modules/vega-datasets/data/seattle-weather.csv")
const rows = readFileSync(FILE, "utf8")
  .trim()
  .split(/\r?\n/)
  .map((line) => line.split(","))
const header = rows[0] ?? []

function column(name: string): string[] {
  return rows.slice(1).map((row) => row[header.indexOf(name)] ?? "")
}

/** Delegates the file to the analyst, from the first page, and answers its question. Ends where the approval waits. */
async function delegateAndAnswer(page: Page): Promise<void> {
  await page.goto("/")
  await expect(page.getByRole("heading", { level: 1, name: "Needs You" })).toBeVisible()
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "New Work" }).click()
  await chooseColleague(page, "analyst")
  await page.getByLabel("Objective").fill("Profile the Seattle weather and send the summary to weather@harbour.example")
  await page.getByLabel("Title").fill("Seattle weather")
  await page.getByLabel("Inputs").setInputFiles(FILE)
  await expect(page.getByText(/scan/i).first()).toBeVisible()
  await expect(page.getByText("Ready", { exact: true })).toBeVisible()
  await page.getByRole("button", { name: "Create Work" }).click()

  await expect(page).toHaveURL(/\/work\/(?!new)[^/]+$/)
  await expect(page.getByRole("heading", { level: 1, name: "Seattle weather" })).toBeVisible()
  const activity = page.getByRole("region", { name: "Activity" })
  await expect(activity.getByRole("status")).toHaveText(/^Live/)
  await expect(activity.getByRole("log")).toContainText("Created")
  await activity.getByRole("link", { name: "Raw" }).click()
  await expect(activity.getByRole("log")).toContainText("seattle-weather.csv")

  const needsYou = page.getByRole("region", { name: "Needs You" })
  await needsYou.getByRole("textbox", { name: "Your answer" }).fill("weather matters most")
  await needsYou.getByRole("button", { name: "Send answer" }).click()
  await expect(page.getByRole("region", { name: "Approvals" }).getByRole("button", { name: "Approve" })).toBeVisible()
}

test("a file is delegated, asked about, approved, and its result is right", async ({ page, desk, context }) => {
  const list = await context.newPage()
  await list.goto("/work")
  await expect(list.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()

  await delegateAndAnswer(page)
  await list.bringToFront()
  await list
    .getByRole("button", { name: /^1 new/ })
    .or(list.getByRole("link", { name: /Seattle weather/ }))
    .first()
    .click()
  await expect(
    list
      .getByRole("link", { name: /Seattle weather/ })
      .or(list.getByRole("heading", { name: "Seattle weather" }))
      .first(),
  ).toBeVisible()
  await page.bringToFront()

  expect(outbox(desk)).toEqual([])
  await decideAboutLetter(page, "approve")
  await expect(page.getByText("Done", { exact: true }).first()).toBeVisible()
  expect(outbox(desk)).toHaveLength(1)
  const letter = await readFile(join(desk.dataFolder, "outbox", outbox(desk)[0] ?? ""), "utf8")
  expect(letter).toContain("weather@harbour.example")

  const artifacts = page.getByRole("region", { name: "Artifacts" })
  for (const path of ["profile.md", "columns.csv", "chart.svg"]) await expect(artifacts).toContainText(path)
  const downloading = page.waitForEvent("download")
  await artifacts.getByRole("button", { name: "Download columns.csv" }).click()
  const download = await downloading
  expect(basename(download.suggestedFilename())).toBe("columns.csv")
  await expect(artifacts.getByText(/Verified/)).toBeVisible()
  const saved = await readFile(await download.path(), "utf8")
  const [names = [], ...lines] = saved
    .trim()
    .split("\r\n")
    .map((line) => line.split(","))
  const result = new Map(lines.map((line) => [line[names.indexOf("column")], line]))
  const figure = (of: string, name: string) => result.get(of)?.[names.indexOf(name)]

  for (const name of ["precipitation", "temp_max", "temp_min", "wind"]) {
    const numbers = column(name).map(Number)
    const total = numbers.reduce((sum, number) => sum + number, 0)
    expect(Number(figure(name, "min")), `${name} min`).toBe(Math.min(...numbers))
    expect(Number(figure(name, "max")), `${name} max`).toBe(Math.max(...numbers))
    expect(Number(figure(name, "mean")), `${name} mean`).toBeCloseTo(total / numbers.length, 9)
    expect(Number(figure(name, "distinct")), `${name} distinct`).toBe(new Set(numbers).size)
  }
  const weather = column("weather")
  const rain = weather.filter((value) => value === "rain").length
  expect(Number(figure("weather", "rows"))).toBe(weather.length)
  expect(saved).toContain(`rain,${String(rain)}`)
})
