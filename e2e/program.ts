import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

const ROOT = join(import.meta.dirname, "..")
const START_MS = 60_000
const { PATH, HOME, NODE_COMPILE_CACHE } = process.env

/** One of our programs as a separate process, with its own environment and everything that it has printed. */
export type Program = {
  readonly url: string
  readonly process: ChildProcess
  output(): string
  /** Ends it (SIGTERM if nothing else is asked) and waits until it is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Runs `script` of the checkout `root` on the Node that runs this, and waits until it prints the address where it serves. */
export async function startProgram(
  script: string,
  environment: Record<string, string>,
  options: readonly string[] = [],
  root: string = ROOT,
): Promise<Program> {
  const child = spawn(process.execPath, [join(root, script), ...options], {
    cwd: root,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  const gone = once(child, "exit")
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill("SIGKILL")
      reject(new Error(`${script} did not start:\n${output}`))
    }, START_MS)
    const onOutput = (chunk: Buffer) => {
      output += chunk.toString()
      const address = /http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\d+/.exec(output)
      if (address === null) return
      clearTimeout(late)
      resolve(address[0])
    }
    child.stdout.on("data", onOutput)
    child.stderr.on("data", onOutput)
    child.on("exit", (code) => {
      clearTimeout(late)
      reject(new Error(`${script} ended with ${String(code)}:\n${output}`))
    })
  })
  return {
    url,
    process: child,
    output: () => output,
    async stop(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      await gone
    },
  }
}
