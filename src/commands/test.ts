/**
 * `npm test`: everything, in the order in which it fails fastest. Ends at the first part that does not pass.
 * `npm run test:long` (`--long`): the files `*.long.test.ts` and `*.long.spec.ts`, which take longer by nature.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { findOrInstallBrowser } from "../../e2e/chromium.ts"
import { readBrowserCounts, readUnitCounts, summarize } from "./test-reports.ts"

const ROOT = join(import.meta.dirname, "../..")
const RESULTS = join(ROOT, "test-results")
const isLong = process.argv.includes("--long")

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

const began = performance.now()
findOrInstallBrowser()
if (!isLong) {
  run("types", "npm", "run", "-s", "types")
  run("lint", "oxlint", "--type-aware")
  run("format", "oxfmt", "--check", ".")
}
run("build", "vite", "build", "--logLevel", "warn")
run("unit and contract tests", "vitest", "run")
// Playwright empties the folder before it begins.
const unit = readUnitCounts(join(RESULTS, "unit.json"))
run("browser tests", "playwright", "test", "-c", "e2e")
const browser = readBrowserCounts(join(RESULTS, "browser.json"))

console.log(`\n${summarize(unit, browser).join("\n")}`)
console.log(`in ${((performance.now() - began) / 1000).toFixed(0)} s`)
