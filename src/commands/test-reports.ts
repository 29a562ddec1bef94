/** What the two test runners counted, and the names of what passed only at a second try or was skipped. */
import { readFileSync } from "node:fs"
import type { JSONReport, JSONReportSuite } from "@playwright/test/reporter"

export type Counts = {
  readonly passed: number
  readonly failed: number
  /** Failed first, and passed when it was tried again. */
  readonly retried: readonly string[]
  readonly skipped: readonly string[]
}

/** Reads what `unit-reporter.ts` wrote. */
export function readUnitCounts(path: string): Counts {
  return JSON.parse(readFileSync(path, "utf8")) as Counts
}

/** Reads the report of Playwright's JSON reporter. */
export function readBrowserCounts(path: string): Counts {
  const report = JSON.parse(readFileSync(path, "utf8")) as JSONReport
  const named = (status: "flaky" | "skipped") => report.suites.flatMap((suite) => titlesOf(suite, status))
  const { expected, flaky, unexpected } = report.stats
  return { passed: expected + flaky, failed: unexpected, retried: named("flaky"), skipped: named("skipped") }
}

function titlesOf(suite: JSONReportSuite, status: "flaky" | "skipped"): string[] {
  const own = suite.specs.filter(({ tests }) => tests.some((test) => test.status === status))
  return [
    ...own.map(({ file, title }) => `e2e/${file} > ${title}`),
    ...(suite.suites ?? []).flatMap((each) => titlesOf(each, status)),
  ]
}

/** The lines that end `npm test`: how many tests of each kind, and by name each that passed only when it was tried again. */
export function summarize(unit: Counts, browser: Counts): readonly string[] {
  const name = (kind: string, titles: readonly string[]) =>
    titles.length === 0 ? [] : [`${kind}: ${String(titles.length)}`, ...titles.map((title) => `  ${title}`)]
  return [
    `unit and contract: ${String(unit.passed)}; browser: ${String(browser.passed)}`,
    ...name("skipped", [...unit.skipped, ...browser.skipped]),
    ...name("passed only at a second try", [...unit.retried, ...browser.retried]),
    `${String(unit.passed + browser.passed)} passed, ${String(unit.failed + browser.failed)} failed`,
  ]
}
