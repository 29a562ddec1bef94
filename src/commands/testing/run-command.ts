import { execFile } from "node:child_process"
import { join } from "node:path"
import type { NewStore } from "../../desk/store/testing/stores.ts"

const { NODE_COMPILE_CACHE } = process.env

type CommandName = "access" | "backup" | "demo" | "freeze" | "notices" | "people" | "record" | "restore"

export type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** Runs a command of `src/commands` as npm does, with this environment alone. Resolves when the command has ended. */
export function runCommand(
  name: CommandName,
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<Ended> {
  return runProgram(`${name}.ts`, environment, args)
}

/** Runs a command with the environment of a desk that has this store. */
export function runOnStore(
  name: CommandName,
  { dataFolder, databaseUrl }: NewStore,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const database = databaseUrl === undefined ? {} : { DESK_DATABASE_URL: databaseUrl }
  return runCommand(name, { DATA_DIR: dataFolder, ...database, ...more }, args)
}

/** Runs a file, named from `src/commands`. */
export function runProgram(
  file: string,
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>()
  execFile(
    process.execPath,
    [join(import.meta.dirname, "..", file), ...args],
    { env: { NODE_COMPILE_CACHE, ...environment }, timeout: 60_000 },
    (error, stdout, stderr) => {
      // A process that a signal ended has no exit status.
      resolve({ code: error === null ? 0 : Number(error.code ?? Number.NaN), stdout, stderr })
    },
  )
  return promise
}
