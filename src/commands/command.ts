/** What the commands for administrators share: how they open the store, print, and end. */
import { readFileSync } from "node:fs"
import { ConfigurationError } from "../contract/configuration-error.ts"
import { FileFault } from "../contract/watched-file.ts"
import { type Access, parseAccess } from "../people/access.ts"
import { StoreUnavailableError } from "../store/database.ts"
import { readDatabaseUrl, type StoreConfiguration } from "../store/open.ts"

/** Why a command has failed: a sentence for the administrator. */
export class CommandError extends Error {}

/** The desk's store, by the environment of the desk. */
export function storeOf(env: NodeJS.ProcessEnv): StoreConfiguration {
  return { dataFolder: env["DATA_DIR"] || ".data", databaseUrl: readDatabaseUrl(env) }
}

/** Reads an access file as the desk does. @throws CommandError that says what is wrong with it */
export function readAccess(path: string): Access {
  try {
    return parseAccess(readFileSync(path, "utf8"))
  } catch (error) {
    throw new CommandError(`The access file ${error instanceof FileFault ? error.message : "cannot be read"}`)
  }
}

/** Makes what was opened end with `await using`. */
export function closing<Opened extends { close(): Promise<void> }>(opened: Opened): Opened & AsyncDisposable {
  return Object.assign(opened, { [Symbol.asyncDispose]: () => opened.close() })
}

/** A text from outside for a terminal: without control characters, which could hide or change what is printed. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\u{FFFD}")
}

/** Runs a command, and ends the process with its exit status. An error that the administrator can mend is one line. */
export async function runAsCommand(
  run: () => Promise<number>,
  isExpected: (error: unknown) => boolean = () => false,
): Promise<void> {
  try {
    process.exitCode = await run()
  } catch (error) {
    console.error(`workdesk: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
    const expected = [ConfigurationError, StoreUnavailableError, CommandError].some((kind) => error instanceof kind)
    if (!expected && !isExpected(error)) throw error
  }
}
