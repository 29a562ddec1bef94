// Writes schema.d.ts and openapi.json of src/contract from openapi.yaml. With --check it writes nothing, and fails when a file is stale.
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
    // A process reads JSON a tenth of a second faster than YAML, at each start.
    "openapi.json": `${JSON.stringify(parse(await readFile(document, "utf8")), null, 2)}\n`,
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

await runAsCommand({ usage: USAGE, options: { check: { type: "boolean" } } }, async ({ check }) => {
  await generate(check)
  return 0
})
