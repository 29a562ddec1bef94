import { execFile } from "node:child_process"
import { join } from "node:path"

const { NODE_COMPILE_CACHE } = process.env

export type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string }

export type CommandName = "access" | "backup" | "people" | "restore" | "record"

/** Runs a command of `src/commands` as npm does, with this environment alone. Resolves when the command has ended. */
export function runCommand(
  name: "access" | "backup" | "notices" | "people" | "restore" | "record" | "demo",
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<Ended> {
  const path = join(import.meta.dirname, "..", `${name}.ts`)
  const { promise, resolve } = Promise.withResolvers<Ended>()
  execFile(
    process.execPath,
    [path, ...args],
    { env: { NODE_COMPILE_CACHE, ...environment } },
    (error, stdout, stderr) => {
      // A process that a signal ended has no exit status.
      resolve({ code: error === null ? 0 : Number(error.code ?? Number.NaN), stdout, stderr })
    },
  )
  return promise
}
