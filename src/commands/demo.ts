/**
 * `npm run demo` starts the desk with its embedded service, as `npm start` does, on a data folder that shows every state: `demo` within
 * DATA_DIR. With `--people` people sign in: the folder is `demo-people`, and the filling signs in as they do.
 */
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setGlobalDispatcher } from "undici"
import { countOf } from "../contract/plural.ts"
import { ConfigurationError } from "../platform/configuration-error.ts"
import { urlOf } from "../platform/http/listen.ts"
import { leadTo } from "../desk/notices/channels/push-receiver.ts"
import { runDesk } from "../server.ts"
import { DataFolderError, openStore } from "../service/store/open-service-store.ts"
import { runAsCommand } from "./command.ts"
import { layOutFilesToTry } from "../demo/files-to-try.ts"
import { fill } from "../demo/fill.ts"
import { startNoticeCatcher } from "../demo/notice-catcher.ts"
import { startDemoSignIn, SIGN_IN_VARIABLES } from "../demo/demo-sign-in.ts"
import { DEMONSTRATION_PUSH_HOSTS } from "../demo/push-device.ts"

const USAGE = `Usage:
  npm run demo                starts a desk with sample data in every state
  npm run demo -- --people    the same with sign-in: Ada and Emil approve, Ben delegates and answers, Cleo reads, Dora oversees
  npm run demo -- --fresh     deletes the sample data and creates it again`

const { env } = process

/** The demonstration has its own service, and its own key of the record. */
const OTHER_VARIABLES = /^(?:WORK_API|RECORD)_/

/**
 * Makes an empty folder unless the folder is filled. Returns whether it must be filled. `demonstration` is the first file of the folder: without
 * it the data are not of this command. `filled` is the last one: without it the filling was cut off.
 * @throws ConfigurationError when another process uses the folder, or the folder holds other data
 */
function makeFolder(folder: string, isFresh: boolean): boolean {
  const isFilled = existsSync(join(folder, "filled"))
  if (isFilled && !isFresh) return false
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    if (!isFilled && !existsSync(join(folder, "demonstration")))
      throw new ConfigurationError(
        `DATA_DIR: ${folder} contains other data, so nothing was removed. Set another DATA_DIR`,
      )
    refuseInUse(folder)
    rmSync(folder, { recursive: true, force: true })
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, "demonstration"), "")
  return true
}

/** @throws ConfigurationError when another Workdesk uses the folder, which would go on writing into removed files */
function refuseInUse(folder: string): void {
  try {
    openStore(join(folder, "service")).close()
  } catch (error) {
    if (!(error instanceof DataFolderError)) throw error
    // Any other fault, such as a damaged file, does not matter: the folder is removed.
    if (error.message.endsWith("in use by another process")) throw new ConfigurationError(`DATA_DIR: ${error.message}`)
  }
}

/** `signIn` are the variables of sign-in, where people sign in. */
async function fillFolder(folder: string, signIn: Readonly<Record<string, string>> | undefined): Promise<void> {
  const begun = performance.now()
  const show = (text: string) => {
    if (process.stdout.isTTY) process.stdout.write(`\r${text}`)
  }
  const count = await fill(folder, (done, total) => show(`Filling ${folder}: ${done} of ${total}`), signIn)
  layOutFilesToTry(join(folder, "files-to-try"))
  writeFileSync(join(folder, "filled"), "")
  show("")
  console.log(
    `Filled ${folder} with ${countOf(count, "piece of Work", "pieces of Work")} in ${((performance.now() - begun) / 1000).toFixed(1)} s`,
  )
}

async function run(hasPeople: boolean, isFresh: boolean): Promise<void> {
  const folder = join(env["DATA_DIR"] || ".data", hasPeople ? "demo-people" : "demo")
  const mustFill = makeFolder(folder, isFresh)
  // The demonstration uses its own service and its own people, and not those of the environment.
  for (const name of Object.keys(env)) {
    if (OTHER_VARIABLES.test(name) || SIGN_IN_VARIABLES.test(name)) delete env[name]
  }
  env["DATA_DIR"] = folder
  const provider = hasPeople ? await startDemoSignIn(env, folder) : undefined
  try {
    if (mustFill) await fillFolder(folder, provider?.variables)
  } catch (error) {
    provider?.stop()
    throw error
  }
  console.log(`Files to try in New Work are in ${join(folder, "files-to-try")}`)
  const own = urlOf(env["HOST"] || "127.0.0.1", Number(env["PORT"] || "4400"))
  const headsFile = join(folder, "kept-heads.txt")
  const catcher = await startNoticeCatcher(env["PUBLIC_URL"] ?? own, headsFile)
  const { smtpUrl, chatUrl, headsUrl, pushDevice, pageUrl } = catcher
  Object.assign(env, { NOTICE_CHAT_URL: chatUrl, NOTICE_BATCH: "0s" })
  const headsSecret = `whsec_${randomBytes(32).toString("base64")}`
  Object.assign(env, { RECORD_HEADS_URL: headsUrl, RECORD_HEADS_SECRET: headsSecret })
  console.log(`Signed heads of the record are kept in ${headsFile}`)
  if (provider === undefined) {
    await runDesk(env)
    console.log(`Chat messages go only to ${pageUrl}`)
    return
  }
  Object.assign(env, { SMTP_URL: smtpUrl, NOTICE_FROM: "Workdesk <desk@example.com>" })
  Object.assign(env, { NOTICE_CONTACT: "mailto:desk@example.com", PUSH_HOSTS: DEMONSTRATION_PUSH_HOSTS })
  setGlobalDispatcher(leadTo(new URL(pageUrl).origin))
  await runDesk(env)
  await pushDevice.addTo(provider.variables.PUBLIC_URL)
  console.log(`People sign in at ${provider.issuer}, without a password`)
  console.log(`Mail, chat messages and Ada's push notifications go only to ${pageUrl}`)
}

const options = { people: { type: "boolean", default: false }, fresh: { type: "boolean", default: false } } as const

await runAsCommand({ usage: USAGE, options }, async ({ people, fresh }, ...others) => {
  if (others.length > 0) return "usage"
  await run(people, fresh)
  return 0
})
