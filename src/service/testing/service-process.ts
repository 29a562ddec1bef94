/** The embedded service in a process of its own, as `npm run service` starts it. A test can kill the process. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const { NODE_COMPILE_CACHE } = process.env
const MAIN = fileURLToPath(new URL("../../commands/service.ts", import.meta.url))

export class ServiceProcess {
  readonly #child: ChildProcess
  stdout = ""
  stderr = ""

  private constructor(child: ChildProcess) {
    this.#child = child
    child.stdout?.on("data", (piece) => (this.stdout += String(piece)))
    child.stderr?.on("data", (piece) => (this.stderr += String(piece)))
  }

  /**
   * Starts the service. Its environment has these variables, and NODE_COMPILE_CACHE of the tests.
   * @param wrapper a command and its arguments, which runs the command of the service
   */
  static start(variables: Readonly<Record<string, string>>, wrapper: readonly string[] = []): ServiceProcess {
    const [command, ...rest] = [...wrapper, process.execPath, MAIN]
    return new ServiceProcess(spawn(command, rest, { env: { NODE_COMPILE_CACHE, SERVICE_PORT: "0", ...variables } }))
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Waits for the address that the service prints. Rejects when the process ends before. */
  async address(): Promise<string> {
    for (;;) {
      const address = /http:\/\/\S+/.exec(this.stdout)?.[0]
      if (address !== undefined) return address
      if (this.#child.exitCode !== null) throw new Error(`the service ended: ${this.stderr}`)
      await Promise.race([once(this.#child.stdout ?? this.#child, "data"), once(this.#child, "exit")])
    }
  }

  /** Sends a signal, waits for the end of the process, and returns its exit status or the signal that ended it. */
  async end(signal: NodeJS.Signals): Promise<number | string> {
    this.#child.kill(signal)
    return this.ended()
  }

  /** Waits for the end of the process, and returns its exit status or the signal that ended it. */
  async ended(): Promise<number | string> {
    const { exitCode, signalCode } = this.#child
    if (exitCode === null && signalCode === null) await once(this.#child, "close")
    return this.#child.exitCode ?? this.#child.signalCode ?? ""
  }
}
