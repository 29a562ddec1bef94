/**
 * `npm run demo`: the dashboard with its embedded service, as `npm start`, on a data folder of its own that is filled to show every state.
 * The folder is `demo` within DATA_DIR (`.data/demo`); it is filled once, and made anew with `--fresh`. With `--people` people sign in.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DataFolderError, openStore } from "../service/store/open.ts"
import { runDesk } from "../server.ts"
import { fill } from "./demo/fill.ts"
import { layOutFilesToTry } from "./demo/files-to-try.ts"
import { ConfigurationError } from "../contract/configuration.ts"
import { addPeople, PEOPLE_VARIABLES } from "./demo/people.ts"

const { env } = process
const folder = join(env["DATA_DIR"] || ".data", "demo")
/** Written last: a folder without it was left by a seeding that did not come to its end, and is nobody's work. */
const FILLED = join(folder, "filled")

/** Fills the folder unless it is filled. @throws DataFolderError where another process has it */
async function prepare(): Promise<void> {
  const service = join(folder, "service")
  if (existsSync(FILLED) && !process.argv.includes("--fresh")) return
  if (existsSync(service)) takeAway(service)
  const begun = performance.now()
  const line = (text: string): boolean => process.stdout.isTTY && process.stdout.write(`\r${text}`)
  const count = await fill(folder, (done, total) => line(`Filling ${folder}: ${done} of ${total} Works`))
  layOutFilesToTry(join(folder, "files-to-try"))
  writeFileSync(FILLED, "")
  line("")
  console.log(`Filled ${folder} with ${count} Works in ${((performance.now() - begun) / 1000).toFixed(1)} s`)
}

/** Removes the old data, unless a Workdesk is at work on it: whoever holds the lock would go on writing into removed files. */
function takeAway(service: string): void {
  try {
    openStore(service).close()
  } catch (error) {
    // A damaged file is what `--fresh` is for; only a folder in use is left alone.
    if (!(error instanceof DataFolderError) || error.message.endsWith("in use by another process")) throw error
  }
  rmSync(folder, { recursive: true, force: true })
}

try {
  await prepare()
  console.log(`Files to try in New Work are in ${join(folder, "files-to-try")}`)
  // The demonstration has its own service and its own people, whatever this shell was set up for.
  for (const name of Object.keys(env)) {
    if (name.startsWith("WORK_API_") || PEOPLE_VARIABLES.test(name)) delete env[name]
  }
  env["DATA_DIR"] = folder
  const provider = process.argv.includes("--people") ? await addPeople(env, folder) : undefined
  await runDesk(env)
  if (process.exitCode === undefined && provider !== undefined) {
    console.log(`People sign in at ${provider.issuer}, without a password`)
  } else {
    provider?.stop()
  }
} catch (error) {
  if (error instanceof DataFolderError) console.error(`workdesk: DATA_DIR: ${error.message}`)
  else if (error instanceof ConfigurationError) console.error(`workdesk: ${error.message}`)
  else throw error
  process.exitCode = 1
}
