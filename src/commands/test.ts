/**
 * The tests of `npm test`, after types, lint and build: Vitest, then a real browser. `npm run test:long` (`--long`) runs the files
 * `*.long.test.ts` and `*.long.spec.ts`.
 *
 * What failed runs again, alone and once, which tells a race from a fault. A test that passes only then may hide a race: the last lines name
 * it, and `npm test` fails. Of the long tests at most three may pass so, because each of them takes minutes of random rounds.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join, relative } from "node:path"
import type { JSONReport, JSONReportSuite } from "@playwright/test/reporter"
import type { JsonTestResults } from "vitest/node"
import { findOrInstallBrowser } from "../../e2e/chromium.ts"
import { runAsCommand } from "./command.ts"

const USAGE = `Usage:
  npm test             types, lint and build, then the unit, contract and browser tests
  npm run test:long    builds the app, then the tests of *.long.test.ts and *.long.spec.ts`

const ROOT = join(import.meta.dirname, "../..")
const RESULTS = join(ROOT, "test-results")
/** How many long tests may pass only at the second run. With more failures in a suite nothing runs again. */
const AGAIN_MAX = 3

/** The result of one run. A name is the path of the test's file, " > " and the test's title. */
type Counts = { readonly passed: number; readonly failed: readonly string[]; readonly skipped: readonly string[] }

type Suite = {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  /** The file of the command's report. */
  readonly report: string
  readonly read: (report: string) => Counts
  /** The arguments that run the failed tests alone. */
  readonly again: (failed: readonly string[]) => readonly string[]
}

const unit: Suite = {
  name: "unit and contract tests",
  command: ["vitest", "run", "--reporter=default", "--reporter=json", "--outputFile.json=test-results/unit.json"],
  report: "unit.json",
  read(report) {
    const { testResults } = JSON.parse(report) as JsonTestResults
    const named = (...statuses: readonly string[]) =>
      testResults.flatMap(({ name, assertionResults }) =>
        assertionResults
          .filter(({ status }) => statuses.includes(status))
          .map(({ fullName }) => `${relative(ROOT, name)} > ${fullName}`),
      )
    return { passed: named("passed").length, failed: named("failed"), skipped: named("skipped", "pending", "todo") }
  },
  again: (failed) => ["--no-file-parallelism", ...new Set(failed.map((name) => name.split(" > ", 1)[0] ?? name))],
}

const browser: Suite = {
  name: "browser tests",
  command: ["playwright", "test", "-c", "e2e"],
  report: "browser.json",
  read(text) {
    const report = JSON.parse(text) as JSONReport
    const named = (status: "unexpected" | "skipped") => report.suites.flatMap((suite) => titlesOf(suite, status))
    return { passed: report.stats.expected, failed: named("unexpected"), skipped: named("skipped") }
  },
  again: () => ["--workers=1", "--trace=on", "--last-failed"],
}

function titlesOf(suite: JSONReportSuite, status: "unexpected" | "skipped"): string[] {
  const own = suite.specs.filter(({ tests }) => tests.some((test) => test.status === status))
  return [
    ...own.map(({ file, title }) => `e2e/${file} > ${title}`),
    ...(suite.suites ?? []).flatMap((each) => titlesOf(each, status)),
  ]
}

/** Runs a program with the output of this process. Gives whether it succeeds. */
function succeeds(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { cwd: ROOT, stdio: "inherit", shell: process.platform === "win32" }).status === 0
}

/** Runs the tests of a suite, and once more what failed. Gives undefined when a test failed twice, or too many failed to try again. */
function run({ name, command: [command, ...args], report, read, again }: Suite): Counts | undefined {
  console.log(`\n— ${name}`)
  rmSync(join(RESULTS, report), { force: true })
  const isPassed = succeeds(command, args)
  // A command that cannot run its tests writes no report.
  if (!existsSync(join(RESULTS, report))) return undefined
  const counts = read(readFileSync(join(RESULTS, report), "utf8"))
  if (isPassed) return counts
  if (counts.failed.length === 0 || counts.failed.length > AGAIN_MAX) return undefined
  console.log(`\n— ${name}: what failed runs again, alone`)
  return succeeds(command, [...args, ...again(counts.failed)]) ? counts : undefined
}

/** Prints a line for each name below the title. Prints nothing without names. */
function printNames(title: string, names: readonly string[]): void {
  if (names.length > 0) console.log([`${title}: ${names.length}`, ...names.map((name) => `  ${name}`)].join("\n"))
}

/** Runs both suites. Gives the exit status. */
function runTests(isLong: boolean): number {
  const begun = performance.now()
  if (isLong) process.env["LONG_TESTS"] = "1"
  findOrInstallBrowser()
  const counts: Counts[] = []
  for (const suite of [unit, browser]) {
    const result = run(suite)
    if (result === undefined) {
      console.error(`\n${suite.name}: failed`)
      return 1
    }
    counts.push(result)
  }
  const again = counts.flatMap(({ failed }) => failed)
  console.log(`\n${counts.map(({ passed, failed }) => passed + failed.length).join(" unit and contract, ")} browser`)
  printNames(
    "skipped",
    counts.flatMap(({ skipped }) => skipped),
  )
  printNames("passed only at a second run", again)
  console.log(`in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  const allowed = isLong ? AGAIN_MAX : 0
  if (again.length > allowed) {
    console.error(`failed: ${again.length} passed only at a second run, where at most ${allowed} may`)
    return 1
  }
  console.log(`${counts.reduce((sum, { passed, failed }) => sum + passed + failed.length, 0)} passed, 0 failed`)
  return 0
}

const options = { long: { type: "boolean", default: false } } as const

await runAsCommand({ usage: USAGE, options }, async ({ long }, ...others) => {
  if (others.length > 0) return "usage"
  return runTests(long)
})
