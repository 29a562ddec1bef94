/** A reporter of vitest that writes `Counts`. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Reporter, TestCase, TestModule } from "vitest/node"
import type { Counts } from "./test-reports.ts"

const PATH = join(import.meta.dirname, "../../test-results/unit.json")

export class UnitReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const inState = (state: "passed" | "failed" | "skipped") => tests.filter((test) => test.result().state === state)
    const name = (test: TestCase) => `${test.module.relativeModuleId} > ${test.fullName}`
    const counts: Counts = {
      passed: inState("passed").length,
      failed: inState("failed").map(name),
      skipped: inState("skipped").map(name),
    }
    mkdirSync(dirname(PATH), { recursive: true })
    writeFileSync(PATH, JSON.stringify(counts))
  }
}
