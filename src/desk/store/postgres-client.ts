/**
 * A connection to the address that `url` gives now. The constructor never throws, because the pool also makes clients where nobody would catch
 * the error: an address that cannot be used, such as one with a CA file that is missing, makes `connect` fail.
 */
import { Client, type ClientConfig } from "pg"
import { MisconfiguredError } from "./postgres-errors.ts"

export class DeskClient extends Client {
  readonly #fault: Error | undefined

  constructor(url: () => string, config: ClientConfig = {}) {
    const { settings, fault } = toSettings(url, config)
    super(settings)
    this.#fault = fault
  }

  override connect(): Promise<Client>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<Client> | void {
    const fault = this.#fault
    if (fault === undefined) return callback === undefined ? super.connect() : super.connect(callback)
    if (callback === undefined) return Promise.reject(fault)
    process.nextTick(() => callback(fault))
  }
}

function toSettings(url: () => string, config: ClientConfig): { settings: ClientConfig; fault?: Error } {
  try {
    const settings = { ...config, connectionString: url() }
    // pg reads the files that the address names.
    void new Client(settings)
    return { settings }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "not valid"
    return { settings: config, fault: new MisconfiguredError(`PostgreSQL: ${code}`, "refused", { cause: error }) }
  }
}
