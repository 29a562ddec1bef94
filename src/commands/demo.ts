/**
 * `npm run demo` starts the desk with its embedded service, as `npm start` does, on a data folder that shows every state. The folder
 * is `demo` within DATA_DIR (`.data/demo`). It is filled once. `--fresh` removes it and fills it again. With `--people` people sign in: the
 * folder is `demo-people`, and the filling signs in as they do.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DataFolderError, openStore } from "../service/store/open.ts"
import { runDesk } from "../server.ts"
import { fill } from "./demo/fill.ts"
import { layOutFilesToTry } from "./demo/files-to-try.ts"
import { ConfigurationError } from "../contract/configuration-error.ts"
import { startMailCatcher } from "./demo/mail-catcher.ts"
import { addPeople, PEOPLE_VARIABLES, signInVariables } from "./demo/people.ts"

const { env } = process
const hasPeople = process.argv.includes("--people")
const folder = join(env["DATA_DIR"] || ".data", hasPeople ? "demo-people" : "demo")
/** The first file of the folder. Without it the folder is not of this command, and nothing in it is removed. */
const MARK = join(folder, "demonstration")
/** The last file of the folder. Without it the filling was cut off, and the folder is filled again. */
const FILLED = join(folder, "filled")

/**
 * Makes an empty folder unless the folder is filled. Gives whether it must be filled.
 * @throws DataFolderError when another process uses the folder, ConfigurationError when the folder holds other data
 */
function makeFolder(): boolean {
  if (existsSync(FILLED) && !process.argv.includes("--fresh")) return false
  if (existsSync(folder) && readdirSync(folder).length > 0) removeFolder()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(MARK, "")
  return true
}

/** Fills the folder. `signIn` are the variables of sign-in, where people sign in. */
async function fillFolder(signIn: Readonly<Record<string, string>> | undefined): Promise<void> {
  const begun = performance.now()
  const showProgress = (text: string): boolean => process.stdout.isTTY && process.stdout.write(`\r${text}`)
  const progress = (done: number, total: number) => showProgress(`Filling ${folder}: ${done} of ${total} Works`)
  const count = await fill(folder, progress, signIn)
  layOutFilesToTry(join(folder, "files-to-try"))
  writeFileSync(FILLED, "")
  showProgress("")
  console.log(`Filled ${folder} with ${count} Works in ${((performance.now() - begun) / 1000).toFixed(1)} s`)
}

/**
 * Removes the old data, unless another Workdesk uses it: that process would go on writing into removed files.
 * @throws ConfigurationError when this command has not made the folder
 */
function removeFolder(): void {
  if (!existsSync(MARK) && !existsSync(FILLED))
    throw new ConfigurationError(`DATA_DIR: ${folder} holds other data. Nothing was removed: name another DATA_DIR`)
  try {
    openStore(join(folder, "service")).close()
  } catch (error) {
    // `--fresh` also removes a damaged file. Only a folder in use stays.
    if (!(error instanceof DataFolderError) || error.message.endsWith("in use by another process")) throw error
  }
  rmSync(folder, { recursive: true, force: true })
}

/** Lets the desk send its mail to a mail server of the demonstration. */
async function addMail(environment: NodeJS.ProcessEnv) {
  const catcher = await startMailCatcher(environment["PUBLIC_URL"] ?? "")
  environment["SMTP_URL"] = catcher.smtpUrl
  environment["NOTICE_FROM"] = "Workdesk <desk@example.com>"
  environment["NOTICE_BATCH"] = "0s"
  return catcher
}

try {
  const mustFill = makeFolder()
  // The demonstration uses its own service and its own people, and not those of the environment.
  for (const name of Object.keys(env)) {
    if (name.startsWith("WORK_API_") || PEOPLE_VARIABLES.test(name)) delete env[name]
  }
  env["DATA_DIR"] = folder
  const provider = hasPeople ? await addPeople(env, folder) : undefined
  try {
    if (mustFill) await fillFolder(provider && signInVariables(env))
  } catch (error) {
    provider?.stop()
    throw error
  }
  console.log(`Files to try in New Work are in ${join(folder, "files-to-try")}`)
  const catcher = provider && (await addMail(env))
  await runDesk(env)
  if (process.exitCode === undefined && provider !== undefined) {
    console.log(`People sign in at ${provider.issuer}, without a password`)
    console.log(`Mail to them arrives at ${catcher?.pageUrl}, and nowhere else`)
  } else {
    provider?.stop()
    catcher?.stop()
  }
} catch (error) {
  if (error instanceof DataFolderError) console.error(`workdesk: DATA_DIR: ${error.message}`)
  else if (error instanceof ConfigurationError) console.error(`workdesk: ${error.message}`)
  else throw error
  process.exitCode = 1
}
