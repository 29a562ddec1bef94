/** Vitest's configuration of `npm run mutants`: the tests that `MUTANTS_TESTS` names, on SQLite. */
import { defineConfig } from "vitest/config"

const tests = process.env["MUTANTS_TESTS"] ?? ""

export default defineConfig({
  test: {
    include: tests.split(" "),
    environment: tests.includes("src/app/") ? "happy-dom" : "node",
    // The tests of a group are the same on PostgreSQL, and each mutant would wait for its start.
    testNamePattern: /^(?!.*on PostgreSQL)/,
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 20_000 } },
  },
})
