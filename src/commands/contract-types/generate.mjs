// Writes src/contract/schema.d.ts from src/contract/openapi.yaml. With --check it writes nothing, and fails when the file is stale.
import { readFile, writeFile } from "node:fs/promises"
import openapiTS, { astToString } from "openapi-typescript"
import ts from "typescript"

const document = new URL("../../contract/openapi.yaml", import.meta.url)
const target = new URL("../../contract/schema.d.ts", import.meta.url)

const types = await openapiTS(document, {
  exportType: true,
  // A JavaScript number cannot hold every int64. src/contract/int64.ts reads and writes int64 values as bigint.
  transform: (schema) =>
    schema.format === "int64" ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword) : undefined,
})
const generated = `// Generated from openapi.yaml by \`npm run generate\`. Do not edit.\n\n${astToString(types)}`

if (process.argv.includes("--check")) {
  if ((await readFile(target, "utf8")) !== generated) {
    console.error("src/contract/schema.d.ts is stale: run `npm run generate`.")
    process.exitCode = 1
  }
} else {
  await writeFile(target, generated)
}
