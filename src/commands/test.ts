/**
 * The tests of `npm test`, after types, lint and build: Vitest, then a real browser. `npm run test:long` (`--long`) runs the files
 * `*.long.test.ts` and `*.long.spec.ts`.
 *
 * A test that fails runs once more at once, and what failed twice runs again when all the others are over: a busy minute of a shared machine fails
 * nothing. A test that passes only then may hide a race: the last lines name it, and more than three fail the command.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { JSONReport, JSONReportSuite } from "@playwright/test/reporter"
import { startVitest } from "vitest/node"
import { findOrInstallBrowser } from "../../e2e/chromium.ts"
import { runAsCommand } from "./command.ts"

const USAGE = `Usage:
  npm test             checks types and lint, builds, and runs the unit, contract and browser tests
  npm run test:long    builds the app, and runs the tests of *.long.test.ts and *.long.spec.ts`

const ROOT = join(import.meta.dirname, "../..")
/** The report of Playwright. */
const REPORT = join(ROOT, "test-results/browser.json")
/** How many tests may pass only at a second run. */
const AGAIN_MAX = 3

type Outcome = "passed" | "again" | "failed" | "skipped"

/** A test that has run. A run that failed outside of its tests has no file. */
type Ran = { readonly file?: string; readonly name: string; readonly outcome: Outcome }

/** Runs the unit and contract tests: all of them, or those of the files. */
async function runUnitTests(files: readonly string[] = []): Promise<readonly Ran[]> {
  process.exitCode = 0
  const vitest = await startVitest("test", [...files], { root: ROOT, watch: false, retry: 1 })
  const modules = vitest.state.getTestModules()
  const ran = modules.flatMap(({ relativeModuleId, children }) =>
    [...children.allTests()].map((test): Ran => {
      const { state } = test.result()
      const isAgain = state === "passed" && test.diagnostic()?.flaky === true
      const outcome = isAgain ? "again" : state === "pending" ? "failed" : state
      return { file: relativeModuleId, name: test.fullName, outcome }
    }),
  )
  await vitest.close()
  return orFailed(ran, process.exitCode === 0, "unit and contract tests")
}

/** Runs the browser tests: all of them, or those of the files. */
function runBrowserTests(env: NodeJS.ProcessEnv, files: readonly string[] = []): readonly Ran[] {
  rmSync(REPORT, { force: true })
  const args = ["test", "-c", "e2e", "--retries=1", "--trace=on-first-retry", ...files]
  const { status } = spawnSync("playwright", args, {
    cwd: ROOT,
    env,
    stdio: "inherit",
    shell: process.platform === "win32",
  })
  const report = existsSync(REPORT) ? (JSON.parse(readFileSync(REPORT, "utf8")) as JSONReport) : undefined
  const ran = report?.suites.flatMap(testsOf) ?? []
  return orFailed(ran, status === 0, "browser tests")
}

/** A run may also fail outside of its tests, for instance because a file cannot be loaded. */
function orFailed(ran: readonly Ran[], isPassed: boolean, name: string): readonly Ran[] {
  if (isPassed || ran.some(({ outcome }) => outcome === "failed")) return ran
  return [...ran, { name, outcome: "failed" }]
}

const OUTCOMES = { expected: "passed", flaky: "again", unexpected: "failed", skipped: "skipped" } as const

function testsOf({ specs, suites = [] }: JSONReportSuite): readonly Ran[] {
  const own = specs.flatMap(({ file, title, tests }) =>
    tests.map(({ status }): Ran => ({ file: `e2e/${file}`, name: title, outcome: OUTCOMES[status] })),
  )
  return [...own, ...suites.flatMap(testsOf)]
}

/** Prints a line for each test below the title. Prints nothing without tests. */
function printNames(title: string, tests: readonly Ran[]): void {
  const names = tests.map(({ file, name }) => `  ${file === undefined ? name : `${file} > ${name}`}`)
  if (tests.length > 0) console.log([`${title}: ${tests.length}`, ...names].join("\n"))
}

/** Runs all tests of a kind, then once more the files of the tests that failed. */
async function runTwice(run: (files?: readonly string[]) => Promise<readonly Ran[]>): Promise<readonly Ran[]> {
  const ran = await run()
  const failed = ran.filter(({ outcome }) => outcome === "failed")
  const files = failed.flatMap(({ file }) => file ?? [])
  if (files.length === 0 || failed.length > AGAIN_MAX) return ran
  printNames("run once more", failed)
  const second = await run([...new Set(files)])
  const hasPassed = ({ file, name, outcome }: Ran) => {
    if (outcome !== "failed") return false
    const again = second.filter((test) => test.file === file && test.name === name)
    return again.length > 0 && again.every((test) => test.outcome !== "failed")
  }
  return [
    ...ran.map((test) => (hasPassed(test) ? { ...test, outcome: "again" as const } : test)),
    ...second.filter(({ file }) => file === undefined),
  ]
}

/** Runs all tests. Returns the exit status. */
async function runTests(isLong: boolean): Promise<number> {
  const begun = performance.now()
  if (isLong) process.env["LONG_TESTS"] = "1"
  findOrInstallBrowser()
  // Vitest sets variables for its own tests.
  const environment = { ...process.env }
  const ran: Ran[] = []
  const of = (outcome: Outcome) => ran.filter((test) => test.outcome === outcome)
  const browserTests = async (files?: readonly string[]) => runBrowserTests(environment, files)
  for (const run of [runUnitTests, browserTests]) {
    ran.push(...(await runTwice(run)))
    if (of("failed").length === 0) continue
    printNames("failed", of("failed"))
    return 1
  }
  printNames("skipped", of("skipped"))
  const again = of("again")
  printNames("passed only on a second run", again)
  console.log(`in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  if (again.length > AGAIN_MAX) {
    console.error(`failed: ${again.length} passed only on a second run; at most ${AGAIN_MAX} may`)
    return 1
  }
  console.log(`${of("passed").length + again.length} passed, 0 failed`)
  return 0
}

const options = { long: { type: "boolean", default: false } } as const

await runAsCommand({ usage: USAGE, options }, async ({ long }, ...others) => {
  if (others.length > 0) return "usage"
  return runTests(long)
})
