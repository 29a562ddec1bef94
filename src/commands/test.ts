/**
 * The tests of `npm test`, after types, lint and build: Vitest, then a real browser. `npm run test:long` (`--long`) runs the files
 * `*.long.test.ts` and `*.long.spec.ts`.
 *
 * What failed runs again, alone and once. A test that passes only then may hide a race, so the tests fail as well. There are two excuses: the
 * machine was disturbed (test/machine.ts says whether), or these are the long tests. With an excuse at most three such tests may pass.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join, relative } from "node:path"
import type { JSONReport, JSONReportSuite } from "@playwright/test/reporter"
import type { JsonTestResults } from "vitest/node"
import { findOrInstallBrowser } from "../../e2e/chromium.ts"
import { runAsCommand } from "./command.ts"
import { watchMachine } from "./test/machine.ts"

const USAGE = `Usage:
  npm test             types, lint and build, then the unit, contract and browser tests
  npm run test:long    builds the app, then the tests of *.long.test.ts and *.long.spec.ts`

const ROOT = join(import.meta.dirname, "../..")
const RESULTS = join(ROOT, "test-results")
/** How many tests may fail at the first run and pass at the second. With more failures nothing runs again. */
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

/** Runs a program with the output of this process. Gives whether it succeeds. The timers of the machine's watch go on meanwhile. */
async function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(command, args, { cwd: ROOT, stdio: "inherit", shell: process.platform === "win32" })
  const [status]: unknown[] = await once(child, "close")
  return status === 0
}

/** Runs the tests of a suite, and once more what failed. Gives undefined when a test failed twice, or too many failed to try again. */
async function run({ name, command: [command, ...args], report, read, again }: Suite): Promise<Counts | undefined> {
  const begun = performance.now()
  console.log(`\n— ${name}`)
  rmSync(join(RESULTS, report), { force: true })
  const isPassed = await succeeds(command, args)
  // A command that cannot run its tests writes no report.
  if (!existsSync(join(RESULTS, report))) return undefined
  const counts = read(readFileSync(join(RESULTS, report), "utf8"))
  const { length } = counts.failed
  console.log(`${name}: ${length} failed in ${((performance.now() - begun) / 1000).toFixed(1)} s`)
  if (isPassed) return counts
  if (length === 0 || length > AGAIN_MAX) return undefined
  console.log(`\n— ${name}: what failed runs again, alone`)
  return (await succeeds(command, [...args, ...again(counts.failed)])) ? counts : undefined
}

/** Prints a line for each name below the title. Prints nothing without names. */
function printNames(title: string, names: readonly string[]): void {
  if (names.length > 0) console.log([`${title}: ${names.length}`, ...names.map((name) => `  ${name}`)].join("\n"))
}

async function runTests(isLong: boolean): Promise<number> {
  const begun = performance.now()
  if (isLong) process.env["LONG_TESTS"] = "1"
  findOrInstallBrowser()
  const endWatch = await watchMachine()
  const counts: Counts[] = []
  for (const suite of [unit, browser]) {
    const result = await run(suite)
    if (result === undefined) {
      console.error(`\n${suite.name}: failed`)
      return 1
    }
    counts.push(result)
  }
  const { isDisturbed, figures } = await endWatch()
  const again = counts.flatMap(({ failed }) => failed)
  console.log(`\n${counts.map(({ passed, failed }) => passed + failed.length).join(" unit and contract, ")} browser`)
  printNames(
    "skipped",
    counts.flatMap(({ skipped }) => skipped),
  )
  printNames("passed only at a second run", again)
  console.log(`machine ${isDisturbed ? "disturbed" : "undisturbed"}: ${figures}`)
  // A long test takes minutes of random rounds, in which a second is more often taken away than the watch can see.
  const isExcused = isDisturbed || isLong
  const isPassed = again.length === 0 || (isExcused && again.length <= AGAIN_MAX)
  if (!isPassed)
    console.error(
      `failed: ${again.length} passed only at a second run (at most ${AGAIN_MAX} may, on a disturbed machine or in the long tests)`,
    )
  else console.log(`${counts.reduce((sum, { passed, failed }) => sum + passed + failed.length, 0)} passed, 0 failed`)
  console.log(`in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  return isPassed ? 0 : 1
}

const options = { long: { type: "boolean", default: false } } as const

await runAsCommand({ usage: USAGE, options }, async ({ long }, ...others) => {
  if (others.length > 0) return "usage"
  // The timers of the watch would keep the process alive after a suite that failed.
  return process.exit(await runTests(long))
})
