/** `npm test`: everything, in the order in which it fails fastest. Ends at the first part that does not pass. */
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { findOrInstallBrowser } from "../../e2e/chromium.ts"

const ROOT = join(import.meta.dirname, "../..")
const RESULTS = join(ROOT, "test-results")

function run(name: string, command: string, ...args: string[]): void {
  const begun = performance.now()
  console.log(`\n— ${name}`)
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: "inherit", shell: process.platform === "win32" })
  if (status !== 0) {
    console.error(`\n${name}: failed`)
    process.exit(1)
  }
  console.log(`${name}: passed in ${((performance.now() - begun) / 1000).toFixed(1)} s`)
}

/** Reads one of the runners' JSON reports, of which we wrote none and know a few members. */
function report<Report>(name: string): Report {
  return JSON.parse(readFileSync(join(RESULTS, name), "utf8")) as Report
}

mkdirSync(RESULTS, { recursive: true })
findOrInstallBrowser()
run("types", "tsc", "-p", ".")
run("lint", "oxlint", "--type-aware")
run("format", "oxfmt", "--check", ".")
run("build", "vite", "build", "--logLevel", "warn")
run(
  "unit and contract tests",
  "vitest",
  "run",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${join(RESULTS, "unit.json")}`,
)
// Playwright empties the folder before it begins.
const unit = report<{ numPassedTests: number; numFailedTests: number }>("unit.json")
run("browser tests", "playwright", "test", "-c", "e2e")

const browser = report<{ stats: { expected: number; unexpected: number; flaky: number } }>("browser.json").stats
console.log(
  `\nunit and contract: ${String(unit.numPassedTests)}; browser: ${String(browser.expected)} (${String(browser.flaky)} more passed on a second try)`,
)
console.log(
  `${String(unit.numPassedTests + browser.expected + browser.flaky)} passed, ${String(unit.numFailedTests + browser.unexpected)} failed`,
)
