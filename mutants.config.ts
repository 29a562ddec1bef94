/** Vitest's configuration of `npm run mutants`: the tests that `MUTANTS_TESTS` names, in this order and on SQLite. */
import { defineConfig } from "vitest/config"
import { BaseSequencer } from "vitest/node"

const tests = process.env["MUTANTS_TESTS"] ?? ""

/** The first failed test ends a mutant's run, so the quick tests of a group come first. */
class NamedOrder extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer["sort"]>[0]) {
    const placeOf = (path: string) => tests.split(" ").findIndex((test) => path.endsWith(test))
    return files.toSorted((one, other) => placeOf(one.moduleId) - placeOf(other.moduleId))
  }
}

export default defineConfig({
  test: {
    include: tests.split(" "),
    environment: tests.includes("src/app/") ? "happy-dom" : "node",
    // The tests of a group are the same on PostgreSQL, and each mutant would wait for its start.
    testNamePattern: /^(?!.*on PostgreSQL)/,
    isolate: false,
    sequence: { sequencer: NamedOrder },
    // Stryker itself ends a mutant that never ends. Code that counts its coverage is several times slower.
    testTimeout: 120_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 20_000 } },
  },
})
