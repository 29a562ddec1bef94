/** What the commands share: how they read their arguments, open the store, print, and end. */
import { realpathSync } from "node:fs"
import { parseArgs, type ParseArgsOptionsConfig } from "node:util"
import { ConfigurationError } from "../platform/configuration-error.ts"
import { FileFault, readNow } from "../platform/reread-files.ts"
import { type Access, parseAccess } from "../desk/people/access-file.ts"
import { type Database, type ReadOnlyDatabase, StoreUnavailableError } from "../desk/store/database.ts"
import {
  openDatabaseForChanges,
  openDatabaseForReading,
  readDatabaseUrl,
  type StoreConfiguration,
} from "../desk/store/open-store.ts"

/** Why a command has failed: a sentence for the administrator. */
export class CommandError extends Error {}

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: Options }>>["values"]

type Command<Options> = {
  readonly usage: string
  readonly options: Options
  /** An error that the administrator can mend, beside those that every command has. */
  readonly mendable?: new () => Error
}

/**
 * Runs a command with the arguments of this process. The exit status is what `run` gives. An unknown option, or "usage" from `run`, prints the usage:
 * status 2. An error prints one line: status 1. Only an error that the administrator cannot mend is thrown again, for its stack.
 */
export async function runAsCommand<Options extends ParseArgsOptionsConfig>(
  { usage, options, mendable = CommandError }: Command<Options>,
  run: (values: Values<Options>, ...positionals: string[]) => Promise<number | "usage">,
): Promise<void> {
  if (process.argv.includes("--help")) return console.log(usage)
  let given: { readonly values: Values<Options>; readonly positionals: string[] }
  try {
    given = parseArgs({ args: process.argv.slice(2).map(markId), options, allowPositionals: true })
  } catch (error) {
    // Node's other sentences say how an argument may begin with a hyphen, which `markId` sees to.
    const [sentence] = messageOf(error).split(". ", 1)
    console.error(`workdesk: ${sentence}\n\n${usage}`)
    process.exitCode = 2
    return
  }
  try {
    const status = await run(given.values, ...given.positionals.map(unmarkId))
    if (status === "usage") console.error(usage)
    process.exitCode = status === "usage" ? 2 : status
  } catch (error) {
    console.error(`workdesk: ${messageOf(error)}`)
    process.exitCode = 1
    const kinds = [ConfigurationError, StoreUnavailableError, CommandError, mendable]
    if (!kinds.some((kind) => error instanceof kind)) throw error
  }
}

/** The id of a person may begin with a hyphen. Options have small letters and hyphens only: the mark keeps any other argument from being one. */
const MARK = "id "
const markId = (argument: string) => argument.replace(/^-(?!-?[a-z-]+(?:=|$))/, `${MARK}-`)
export const unmarkId = (argument: string) => (argument.startsWith(`${MARK}-`) ? argument.slice(MARK.length) : argument)

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Whether this process was started with the file `path`. Node before 24.2 has no `import.meta.main`. */
export function isStartedWith(path: string): boolean {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === path
}

/** The desk's store, by the environment of the desk. */
export function storeOf(env: NodeJS.ProcessEnv): StoreConfiguration {
  return { dataFolder: env["DATA_DIR"] || ".data", databaseUrl: readDatabaseUrl(env) }
}

/** The store of this process's environment, for reading. It closes at the end of `await using`. */
export async function openStoreForReading(): Promise<ReadOnlyDatabase & AsyncDisposable> {
  return closing(await openDatabaseForReading(storeOf(process.env)))
}

/** The store of this process's environment, for changes. It closes at the end of `await using`. */
export async function openStoreForChanges(): Promise<Database & AsyncDisposable> {
  return closing(await openDatabaseForChanges(storeOf(process.env)))
}

function closing<Opened extends { close(): Promise<void> }>(opened: Opened): Opened & AsyncDisposable {
  return Object.assign(opened, { [Symbol.asyncDispose]: () => opened.close() })
}

/** Reads an access file as the desk does. @throws CommandError that says what is wrong with it */
export function readAccess(path: string): Access {
  try {
    return parseAccess(readNow(path))
  } catch (error) {
    throw error instanceof FileFault ? new CommandError(`The access file ${error.message}`) : error
  }
}

/** A text from outside for a terminal: without control characters, which could hide or change what is printed. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\u{FFFD}")
}
