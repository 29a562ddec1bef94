// Writes schema.d.ts and openapi.json of src/contract from openapi.yaml. With --check it writes nothing, and fails when a file is stale.
import { readFile, writeFile } from "node:fs/promises"
import openapiTS, { astToString } from "openapi-typescript"
import ts from "typescript"
import { parse } from "yaml"

const contract = new URL("../../contract/", import.meta.url)
const document = new URL("openapi.yaml", contract)

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
  if (!process.argv.includes("--check")) {
    await writeFile(target, content)
  } else if ((await readFile(target, "utf8")) !== content) {
    console.error(`src/contract/${name} is stale: run \`npm run generate\`.`)
    process.exitCode = 1
  }
}
