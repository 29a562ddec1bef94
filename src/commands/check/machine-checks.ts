/** The checks of this machine: Node, variables, the built app, the data folder, the access file, the time zone. */
import { accessSync, constants, existsSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import type { DeskConfiguration } from "../../desk/http/desk-configuration.ts"
import { unknownVariables } from "../../desk/known-variables.ts"
import { type Access, emptyRules, parseAccess } from "../../desk/people/access-file.ts"
import { formatMembers } from "../../desk/people/rules/rule-words.ts"
import { lockFile } from "../../platform/sqlite-files.ts"
import { readNow } from "../../platform/reread-files.ts"
import { bad, type CheckLine, good } from "./check-line.ts"
import { nodeFault, OLDEST_NODE } from "../node-version.mjs"

export function checkNode(): CheckLine {
  const fault = nodeFault(process.versions.node)
  const found = `Node ${process.versions.node}`
  return fault === undefined
    ? good("node", found)
    : bad("node", `${found} is too old`, `install Node ${OLDEST_NODE} or newer`)
}

export function checkVariables(environment: NodeJS.ProcessEnv): readonly CheckLine[] {
  const unknown = unknownVariables(environment)
  if (unknown.length === 0) return [good("variables", "no variable is misspelled")]
  return unknown.map((sentence) => bad("variables", sentence, "correct the name, or remove the variable"))
}

export function checkBuild(distFolder: string): CheckLine {
  if (existsSync(join(distFolder, "index.html"))) return good("app", "the app is built")
  return bad("app", "the app isn't built, so browsers get no page", "run npm run build, or copy dist next to src")
}

/** `isNeeded`: DATA_DIR holds the desk's own data or the embedded service's. */
export function checkFolder(dataFolder: string, isNeeded: boolean): CheckLine {
  if (!isNeeded) return good("data folder", "not used: the data is in PostgreSQL and at the service")
  const folder = resolve(dataFolder)
  const existing = nearestExisting(folder)
  const change = "set DATA_DIR to a folder that the desk's user owns and can write to"
  if (!statSync(existing).isDirectory()) return bad("data folder", "DATA_DIR, or a folder above it, is a file", change)
  for (const path of [existing, join(folder, "desk"), join(folder, "desk", "desk.db"), join(folder, "service")]) {
    if (existsSync(path) && !isWritable(path))
      return bad("data folder", "this user can't write to DATA_DIR, or to one of its files", change)
  }
  return good("data folder", existing === folder ? "DATA_DIR is writable" : "the first start creates DATA_DIR")
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path))
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    // Nothing can be created in these, whatever their permissions.
    return !/^\/(?:proc|sys)(?:\/|$)/.test(path)
  } catch {
    return false
  }
}

/** Whether a running desk has locked the SQLite database in the folder. */
export function isFolderInUse(dataFolder: string): boolean {
  const path = join(dataFolder, "desk", "desk.lock")
  if (!existsSync(path)) return false
  try {
    const lock = lockFile(path)
    lock?.[Symbol.dispose]()
    return lock === undefined
  } catch {
    return false
  }
}

export function checkAccess({ people }: Pick<DeskConfiguration, "people">): readonly CheckLine[] {
  if (people.mode === "local") return []
  const access = readAccessNow(people.accessFile)
  if (typeof access === "string") {
    return [
      bad("access file", `ACCESS_FILE ${access}`, "correct the file, and check it with npm run access -- check FILE"),
    ]
  }
  const { approver } = access.roles
  if (approver.length === 0)
    return [bad("access file", "nobody has the approver role", 'in ACCESS_FILE, add members to "approver" in "roles"')]
  const empty = emptyRules(access).map((sentence) => bad("access file", sentence, "correct the rule in ACCESS_FILE"))
  return empty.length > 0 ? empty : [good("access file", `approver: ${formatMembers(approver)}`)]
}

/** The access file, or why it can't be used. */
export function readAccessNow(path: string): Access | string {
  try {
    return parseAccess(readNow(path))
  } catch (error) {
    return error instanceof Error ? error.message : "can't be read"
  }
}

export function checkTimeZone(environment: NodeJS.ProcessEnv): CheckLine {
  const zone: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone
  // For an unknown zone Node uses UTC and reports no name.
  if (zone === undefined || zone === "Etc/Unknown")
    return bad("time zone", "TZ isn't a known time zone", "set TZ to a name such as Europe/Berlin, or remove it")
  const source = environment["TZ"] ? "TZ" : "the system"
  return good("time zone", `${zone}, from ${source}; logs are in UTC, and people see their own time zone`)
}
