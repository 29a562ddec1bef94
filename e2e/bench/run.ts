/** `npm run bench`: runs every benchmark of this folder, one after the other, because two at a time would disturb each other. */
import { spawnSync } from "node:child_process"
import { globSync } from "node:fs"
import { basename, join } from "node:path"

for (const file of globSync("*.bench.ts", { cwd: import.meta.dirname }).sort()) {
  console.log(`\n— ${basename(file, ".bench.ts")}`)
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, file)], { stdio: "inherit" })
  if (status !== 0) process.exit(1)
}
