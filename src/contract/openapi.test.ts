import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, expectTypeOf, test } from "vitest"
import type { OperationId, Work } from "./resources.ts"

const run = promisify(execFile)
const root = fileURLToPath(new URL("../..", import.meta.url))

test("openapi.yaml is valid OpenAPI, without a warning", { timeout: 60_000 }, async () => {
  const redocly = fileURLToPath(new URL("../../node_modules/@redocly/cli/bin/cli.js", import.meta.url))
  const environment = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
  const { stdout } = await run(
    process.execPath,
    [redocly, "lint", "src/contract/openapi.yaml", "--extends=recommended-strict", "--format=json"],
    { cwd: root, env: environment },
  )
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] })
})

test("schema.d.ts and operations.ts are what `npm run generate` would write", { timeout: 60_000 }, async () => {
  await expect(
    run(process.execPath, ["src/commands/contract-types/generate.mjs", "--check"], { cwd: root }),
  ).resolves.toMatchObject({ stderr: "" })
})

test("a map of handlers without one of the operations does not compile", () => {
  type Handlers = Record<OperationId, () => void>
  expectTypeOf<Omit<Handlers, "downloadWorkArtifact">>().not.toExtend<Handlers>()
  expectTypeOf<Record<OperationId | "deleteWork", () => void>>().toExtend<Handlers>()
})

test("an int64 is a bigint and an optional member may be left out, but not undefined", () => {
  expectTypeOf<Work["version"]>().toEqualTypeOf<bigint>()
  expectTypeOf<Omit<Work, "due_at">>().toExtend<Work>()
  expectTypeOf<Omit<Work, "due_at"> & { due_at: undefined }>().not.toExtend<Work>()
})
