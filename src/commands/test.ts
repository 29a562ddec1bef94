/**
 * `npm test`: everything, in the order in which it fails fastest. Ends at the first part that does not pass.
 * `npm run test:long` (`--long`): the files `*.long.test.ts` and `*.long.spec.ts`, which take longer by nature.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { findOrInstallBrowser } from "../../e2e/chromium.ts"

const ROOT = join(import.meta.dirname, "../..")
const RESULTS = join(ROOT, "test-results")
const isLong = process.argv.includes("--long")

type UnitReport = { readonly numPassedTests: number; readonly numFailedTests: number }
type BrowserReport = {
  readonly stats: { readonly expected: number; readonly unexpected: number; readonly flaky: number }
}

function run(name: string, command: string, ...args: string[]): void {
  const began = performance.now()
  console.log(`\n— ${name}`)
  const { status } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: "inherit",
    shell: process.platform === "win32",
    env: { ...process.env, ...(isLong && { LONG_TESTS: "1" }) },
  })
  if (status !== 0) {
    console.error(`\n${name}: failed`)
    process.exit(1)
  }
  console.log(`${name}: passed in ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

/** Reads the JSON report of a test runner. */
function readReport<Report>(name: string): Report {
  return JSON.parse(readFileSync(join(RESULTS, name), "utf8")) as Report
}

mkdirSync(RESULTS, { recursive: true })
findOrInstallBrowser()
if (!isLong) {
  run("types", "npm", "run", "-s", "types")
  run("lint", "oxlint", "--type-aware")
  run("format", "oxfmt", "--check", ".")
}
run("build", "vite", "build", "--logLevel", "warn")
const outputFile = `--outputFile.json=${join(RESULTS, "unit.json")}`
run("unit and contract tests", "vitest", "run", "--reporter=default", "--reporter=json", outputFile)
// Playwright empties the folder before it begins.
const unit = readReport<UnitReport>("unit.json")
run("browser tests", "playwright", "test", "-c", "e2e")

const browser = readReport<BrowserReport>("browser.json").stats
console.log(
  `\nunit and contract: ${String(unit.numPassedTests)}; browser: ${String(browser.expected)} (${String(browser.flaky)} more passed on a second try)`,
)
console.log(
  `${String(unit.numPassedTests + browser.expected + browser.flaky)} passed, ${String(unit.numFailedTests + browser.unexpected)} failed`,
)
