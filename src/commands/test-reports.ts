/** What the two test runners counted, and the names of what failed at first or was skipped. */
import { readFileSync } from "node:fs"
import type { JSONReport, JSONReportSuite } from "@playwright/test/reporter"

/** The result of one run. A name is the path of the test's file, " > " and the test's title. */
export type Counts = {
  readonly passed: number
  readonly failed: readonly string[]
  readonly skipped: readonly string[]
}

/** The path of a test's file. */
export const fileOf = (name: string): string => name.split(" > ", 1)[0] ?? name

/** Reads what `unit-reporter.ts` wrote. */
export function readUnitCounts(path: string): Counts {
  return JSON.parse(readFileSync(path, "utf8")) as Counts
}

/** Reads the report of Playwright's JSON reporter. */
export function readBrowserCounts(path: string): Counts {
  const report = JSON.parse(readFileSync(path, "utf8")) as JSONReport
  const named = (status: "unexpected" | "skipped") => report.suites.flatMap((suite) => titlesOf(suite, status))
  return { passed: report.stats.expected, failed: named("unexpected"), skipped: named("skipped") }
}

function titlesOf(suite: JSONReportSuite, status: "unexpected" | "skipped"): string[] {
  const own = suite.specs.filter(({ tests }) => tests.some((test) => test.status === status))
  return [
    ...own.map(({ file, title }) => `e2e/${file} > ${title}`),
    ...(suite.suites ?? []).flatMap((each) => titlesOf(each, status)),
  ]
}

/** The lines that end `npm test`: how many tests of each kind passed, and by name each that was skipped or passed only at its second run. */
export function summarize(unit: Counts, browser: Counts): readonly string[] {
  const name = (kind: string, titles: readonly string[]) =>
    titles.length === 0 ? [] : [`${kind}: ${String(titles.length)}`, ...titles.map((title) => `  ${title}`)]
  const passed = (counts: Counts) => counts.passed + counts.failed.length
  return [
    `unit and contract: ${String(passed(unit))}; browser: ${String(passed(browser))}`,
    ...name("skipped", [...unit.skipped, ...browser.skipped]),
    ...name("passed only at a second run", [...unit.failed, ...browser.failed]),
    `${String(passed(unit) + passed(browser))} passed, 0 failed`,
  ]
}
