// Writes schema.d.ts and operations.ts of src/contract from openapi.yaml. With --check it writes nothing, and fails when a file is stale.
import { readFile, writeFile } from "node:fs/promises"
import openapiTS, { astToString } from "openapi-typescript"
import ts from "typescript"
import { parse } from "yaml"
import { CommandError, runAsCommand } from "../command.ts"

const USAGE = `Usage:
  npm run generate                                          writes both files
  node src/commands/contract-types/generate.mjs --check     writes nothing, and fails when a file is stale`

const contract = new URL("../../contract/", import.meta.url)
const document = new URL("openapi.yaml", contract)

/** Writes both files, or checks them. */
async function generate(check) {
  const types = await openapiTS(document, {
    exportType: true,
    // A JavaScript number cannot hold every int64. src/contract/int64.ts reads and writes int64 values as bigint.
    transform: (schema) =>
      schema.format === "int64" ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword) : undefined,
  })
  const generated = {
    "schema.d.ts": `// Generated from openapi.yaml by \`npm run generate\`. Do not edit.\n\n${astToString(types)}`,
    "operations.ts": writeOperations(parse(await readFile(document, "utf8"))),
  }

  for (const [name, content] of Object.entries(generated)) {
    const target = new URL(name, contract)
    if (!check) {
      await writeFile(target, content)
    } else if ((await readFile(target, "utf8")) !== content) {
      throw new CommandError(`src/contract/${name} is stale: run npm run generate`)
    }
  }
}

const SUCCESS_KINDS = {
  "application/json": "json",
  "text/event-stream": "event-stream",
  "application/octet-stream": "octet-stream",
}

/** The operations as TypeScript: what the server needs of each, without references. */
function writeOperations(openapi) {
  const operations = Object.entries(dereference(openapi.paths, openapi)).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => toOperation(method.toUpperCase(), path, described)),
  )
  const byId = Object.fromEntries(operations.map((operation) => [operation.id, operation]))
  return `// Generated from openapi.yaml by \`npm run generate\`. Do not edit.
import type { Operation } from "./operation.ts"
import type { OperationId } from "./resources.ts"

/** The 13 operations. The compiler reports one that is missing. */
export const operations: Readonly<Record<OperationId, Operation>> = ${JSON.stringify(byId, null, 2)}
`
}

function toOperation(method, path, { operationId: id, security, parameters = [], requestBody, responses }) {
  const names = (where) => parameters.filter((parameter) => parameter.in === where).map(({ name }) => name)
  const success = Object.entries(responses).flatMap(([status, { content = {} }]) => {
    const kind = SUCCESS_KINDS[Object.keys(content)[0]]
    return kind === undefined ? [] : [[status, kind]]
  })
  return {
    id,
    method,
    path,
    query: names("query"),
    hasBody: requestBody !== undefined,
    needsIdempotencyKey: names("header").includes("Idempotency-Key"),
    needsIfMatch: names("header").includes("If-Match"),
    scope: security[0].serviceAccount[0],
    success: Object.fromEntries(success),
    parameters: parameters.map(({ name, in: where, schema }) => ({ name, in: where, schema })),
    body: requestBody?.content["application/json"].schema,
  }
}

/** Replaces each reference by what it refers to. */
function dereference(value, openapi) {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((item) => dereference(item, openapi))
  if (value.$ref === undefined)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, dereference(member, openapi)]))
  const steps = value.$ref.slice("#/".length).split("/")
  return dereference(
    steps.reduce((found, step) => found[step], openapi),
    openapi,
  )
}

await runAsCommand({ usage: USAGE, options: { check: { type: "boolean" } } }, async ({ check }) => {
  await generate(check)
  return 0
})
