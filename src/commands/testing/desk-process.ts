/** Starts a desk as a process of its own, as `npm start` does. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { expect, onTestFinished } from "vitest"

const SERVER = join(import.meta.dirname, "../../server.ts")
const { PATH, NODE_COMPILE_CACHE } = process.env

/** A line of the log that has a signed head. */
type HeadLine = { readonly message: string; readonly sequence: number; readonly hash: string; readonly note: string }

/** Resolves when the desk serves, or when its start has failed. It is killed at the end of the test. */
export async function startDeskProcess(environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [SERVER], {
    env: { PATH, NODE_COMPILE_CACHE, PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const said = { out: "", error: "" }
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (said.error += chunk.toString()))
  const closed = once(child, "close")
  const lines = () => said.out.split("\n").flatMap((line) => (line.endsWith("}") ? [JSON.parse(line) as HeadLine] : []))
  await expect
    .poll(() => said.out.includes("Workdesk is at") || child.exitCode !== null, { timeout: 30_000 })
    .toBe(true)
  return {
    said,
    heads: () => lines().filter(({ message }) => message === "record head"),
    async end(signal: "SIGTERM" | "SIGKILL") {
      child.kill(signal)
      await closed
    },
  }
}

export type DeskProcess = Awaited<ReturnType<typeof startDeskProcess>>
