/**
 * `npm test`: everything, in the order in which it fails fastest. Ends at the first part that does not pass.
 * `npm run test:long` (`--long`): the files `*.long.test.ts` and `*.long.spec.ts`, which take longer by nature.
 */
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { findOrInstallBrowser } from "../../e2e/chromium.ts"
import { type Counts, fileOf, readBrowserCounts, readUnitCounts, summarize } from "./test-reports.ts"

const ROOT = join(import.meta.dirname, "../..")
const RESULTS = join(ROOT, "test-results")
const isLong = process.argv.includes("--long")
/** More failures than this have another cause than a slow machine. */
const RUN_AGAIN_MAX = 50

function succeeds(command: string, args: readonly string[]): boolean {
  const { status } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: "inherit",
    shell: process.platform === "win32",
    env: { ...process.env, ...(isLong && { LONG_TESTS: "1" }) },
  })
  return status === 0
}

function fail(name: string): never {
  console.error(`\n${name}: failed`)
  process.exit(1)
}

function run(name: string, command: string, ...args: string[]): void {
  const began = performance.now()
  console.log(`\n— ${name}`)
  if (!succeeds(command, args)) fail(name)
  console.log(`${name}: passed in ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

type Suite = {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  /** Where the command writes its report, and what reads the report. */
  readonly report: string
  readonly read: (path: string) => Counts
  /** The arguments that run the failed tests, one after the other and at most twice. */
  readonly again: (failed: readonly string[]) => readonly string[]
}

/** Runs tests. What failed runs again, alone, because on a machine that others use a test beside other tests may exceed its time. */
function runTests({ name, command: [command, ...args], report, read, again }: Suite): Counts {
  const began = performance.now()
  console.log(`\n— ${name}`)
  const path = join(RESULTS, report)
  rmSync(path, { force: true })
  const isPassed = succeeds(command, args)
  const counts = read(path)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  if (isPassed) console.log(`${name}: passed in ${seconds} s`)
  else if (counts.failed.length === 0 || counts.failed.length > RUN_AGAIN_MAX) fail(name)
  else {
    console.log(`${name}: ${String(counts.failed.length)} failed in ${seconds} s`)
    run(`${name} that failed, one after the other`, command, ...args, ...again(counts.failed))
  }
  return counts
}

const began = performance.now()
findOrInstallBrowser()
if (!isLong) {
  run("types", "npm", "run", "-s", "types")
  run("lint", "oxlint", "--type-aware")
  run("format", "oxfmt", "--check", ".")
}
run("build", "vite", "build", "--logLevel", "warn")
const unit = runTests({
  name: "unit and contract tests",
  command: ["vitest", "run"],
  report: "unit.json",
  read: readUnitCounts,
  again: (failed) => ["--no-file-parallelism", "--retry=1", ...new Set(failed.map(fileOf))],
})
const browser = runTests({
  name: "browser tests",
  command: ["playwright", "test", "-c", "e2e"],
  report: "browser.json",
  read: readBrowserCounts,
  again: () => ["--workers=1", "--retries=1", "--trace=on-first-retry", "--last-failed"],
})

console.log(`\n${summarize(unit, browser).join("\n")}`)
console.log(`in ${((performance.now() - began) / 1000).toFixed(0)} s`)
