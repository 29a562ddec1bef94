/**
 * `npm run mutants`: changes the files in which a wrong sign costs most, one place at a time, and names each change that no test notices.
 * `npm run mutants -- chain` does so for the groups whose name has the word.
 */
import { relative } from "node:path"
import { Stryker } from "@stryker-mutator/core"
import { runAsCommand } from "./command.ts"

/** The share of each file's changes that the tests must notice. */
const SHARE_MIN = 0.85

/** The files that are changed, and the tests that must notice, the quickest first. */
const GROUPS: Readonly<Record<string, { readonly files: readonly string[]; readonly tests: readonly string[] }>> = {
  rules: {
    files: ["src/desk/people/rules/rules.ts"],
    tests: [
      "src/desk/people/rules/rule*.test.ts",
      "src/desk/people/rules/destinations.test.ts",
      "src/desk/people/visibility.test.ts",
    ],
  },
  destinations: {
    files: ["src/desk/people/rules/destinations.ts"],
    tests: ["src/desk/people/rules/destination*.test.ts"],
  },
  visibility: { files: ["src/desk/people/visibility.ts"], tests: ["src/desk/people/visibility.test.ts"] },
  "item state": { files: ["src/app/inbox/item-state.ts"], tests: ["src/app/inbox/item-state.test.ts"] },
  arming: { files: ["src/app/ui/use-armed.ts"], tests: ["src/app/ui/use-armed.test.tsx"] },
  gate: {
    files: ["src/desk/record/gate/attempt-state.ts", "src/desk/record/gate/idempotency-keys.ts"],
    tests: ["src/desk/record/gate/{lost-decision,mutation-gate,several-approvals,freeze,withdraw-approve}.test.ts"],
  },
  plan: {
    files: ["src/desk/watcher/read-plan.ts", "src/desk/watcher/reading-order.ts"],
    tests: [
      "src/desk/watcher/reading-order.test.ts",
      "src/desk/watcher/read-plan-turns.test.ts",
      "src/desk/watcher/read-plan-changes.test.ts",
      "src/desk/watcher/known-whole.test.ts",
      "src/desk/watcher/read-plan-failures.test.ts",
      "src/desk/watcher/limits-of-texts.test.ts",
    ],
  },
  chain: {
    files: ["src/desk/record/hash-chain.ts", "src/desk/record/chain-verification.ts"],
    tests: ["src/desk/record/hash-chain.test.ts"],
  },
}

await runAsCommand({ usage: "npm run mutants [-- GROUP]", options: {} }, async (_, word = "") => {
  const groups = Object.entries(GROUPS).filter(([name]) => name.includes(word))
  if (groups.length === 0) return "usage"
  let status = 0
  for (const [, { files, tests }] of groups) {
    process.env["MUTANTS_TESTS"] = tests.join(" ")
    const results = await mutate(files)
    for (const file of files) {
      const ofFile = results.filter(({ fileName }) => relative(process.cwd(), fileName) === file)
      const survivors = ofFile.filter(({ status: fate }) => fate === "Survived" || fate === "NoCoverage")
      const counted = ofFile.filter(({ status: fate }) => fate !== "Ignored" && fate !== "CompileError")
      const killed = counted.length - survivors.length
      for (const { location, replacement } of survivors)
        console.log(`${file}:${location.start.line}:${location.start.column} survived as ${replacement}`)
      console.log(`${file}: ${killed} of ${counted.length} mutants killed`)
      if (killed < SHARE_MIN * counted.length) status = 1
    }
  }
  return status
})

function mutate(files: readonly string[]) {
  const options: ConstructorParameters<typeof Stryker>[0] = {
    mutate: [...files],
    testRunner: "vitest",
    vitest: { configFile: "mutants.config.ts", related: false },
    plugins: ["@stryker-mutator/vitest-runner"],
    coverageAnalysis: "perTest",
    ignoreStatic: true,
    concurrency: 2,
    dryRunTimeoutMinutes: 15,
    // A test that takes too long counts as having noticed, so a busy machine must not make one too slow.
    timeoutFactor: 3,
    reporters: [],
    tempDirName: ".mutants",
    cleanTempDir: "always",
    // Otherwise Stryker reads and rewrites `tsconfig.json`, which it cannot with the compiler of this repository.
    tsconfigFile: "no-tsconfig.json",
    allowConsoleColors: false,
  }
  return new Stryker(options).runMutationTest()
}
