/**
 * The tests of `npm test`, after types, lint and build: Vitest, then a real browser. `npm run test:long` (`--long`) runs the files
 * `*.long.test.ts` and `*.long.spec.ts`.
 *
 * What failed runs again, alone and once. A test that passes only then may hide a race, so the tests fail as well, unless the machine was
 * disturbed (machine.ts): then at most three such tests may pass.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join, relative } from "node:path"
import type { JSONReport, JSONReportSuite } from "@playwright/test/reporter"
import type { JsonTestResults } from "vitest/node"
import { findOrInstallBrowser } from "../../e2e/chromium.ts"
import { MachineWatch } from "./machine.ts"

const ROOT = join(import.meta.dirname, "../..")
const RESULTS = join(ROOT, "test-results")
const isLong = process.argv.includes("--long")
const MOST_AGAIN = 3

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

/** Runs a command with the output of this process. Gives whether it succeeds. The timers of the machine's watch go on meanwhile. */
async function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  const env = { ...process.env, ...(isLong && { LONG_TESTS: "1" }) }
  const child = spawn(command, args, { cwd: ROOT, stdio: "inherit", shell: process.platform === "win32", env })
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
  if (length === 0 || length > MOST_AGAIN) return undefined
  console.log(`\n— ${name}: what failed runs again, alone`)
  return (await succeeds(command, [...args, ...again(counts.failed)])) ? counts : undefined
}

/** Prints a line for each name below the title. Prints nothing without names. */
function printNames(title: string, names: readonly string[]): void {
  if (names.length > 0) console.log([`${title}: ${names.length}`, ...names.map((name) => `  ${name}`)].join("\n"))
}

async function main(): Promise<boolean> {
  const begun = performance.now()
  findOrInstallBrowser()
  const watch = new MachineWatch()
  await watch.start()
  const counts: Counts[] = []
  for (const suite of [unit, browser]) {
    const result = await run(suite)
    if (result === undefined) {
      console.error(`\n${suite.name}: failed`)
      return false
    }
    counts.push(result)
  }
  const { isDisturbed, figures } = await watch.stop()
  const again = counts.flatMap(({ failed }) => failed)
  console.log(`\n${counts.map(({ passed, failed }) => passed + failed.length).join(" unit and contract, ")} browser`)
  printNames(
    "skipped",
    counts.flatMap(({ skipped }) => skipped),
  )
  printNames("passed only at a second run", again)
  console.log(`machine ${isDisturbed ? "disturbed" : "undisturbed"}: ${figures}`)
  // A long test takes minutes of random rounds, in which a second is more often taken away than the watch can see.
  const isPassed = again.length === 0 || ((isDisturbed || isLong) && again.length <= MOST_AGAIN)
  if (!isPassed)
    console.error(
      `failed: ${again.length} passed only at a second run (at most ${MOST_AGAIN} may, on a disturbed machine)`,
    )
  else console.log(`${counts.reduce((sum, { passed, failed }) => sum + passed + failed.length, 0)} passed, 0 failed`)
  console.log(`in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  return isPassed
}

// The watch's timers would keep the process alive.
process.exit((await main()) ? 0 : 1)
