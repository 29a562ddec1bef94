import { readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { operations } from "../contract/document.ts"
import { HEARTBEAT_SECONDS } from "../contract/limits.ts"

/** A service account's credential as the configuration has it; `colleagues` left out means all of them. */
export type CredentialEntry = {
  readonly token: string
  readonly account: string
  readonly owner: string
  readonly scopes: readonly string[]
  readonly colleagues?: readonly string[]
}

export type Limits = {
  readonly readPerMinute: number
  readonly writePerMinute: number
  readonly unauthenticatedPerMinute: number
  readonly streamsPerCredential: number
  readonly activeWork: number
}

/** The design's "The embedded service's configuration". Without `credentials` the service makes one. */
export type Configuration = {
  readonly credentials: readonly CredentialEntry[] | undefined
  readonly heartbeatSeconds: number
  readonly pace: number
  readonly uploadLifetimeSeconds: number
  readonly limits: Limits
}

/** Why a configuration cannot be used, in one line that names the file and the key. */
export class ConfigurationError extends Error {}

const DEFAULT_LIMITS: Limits = {
  readPerMinute: 600,
  writePerMinute: 120,
  unauthenticatedPerMinute: 60,
  streamsPerCredential: 16,
  activeWork: 200,
}

/** Who acts, and for whom, where a credential does not say: the values that the design shows are the defaults. */
export const DEMO_ACCOUNT = "sa_demo"
export const DEMO_OWNER = "owner_demo"
const DEFAULT_SCOPES: readonly string[] = [operations.listWork.scope]

// A change is to be in force within a second. The text is compared, not the file's time: two writes within the clock's
// grain, a replaced file and one put back would be missed.
const POLL_MS = 250

// Node's timers hold 24 days at most, and take what is longer for none at all.
const MOST_HEARTBEAT_SECONDS = 86_400
const MOST_PACE = 10_000

/** The scopes of the specification, as the contract's operations name them. */
export const ALL_SCOPES: readonly string[] = [...new Set(Object.values(operations).map(({ scope }) => scope))]

/** The configuration in force: `current` is read at each use, so a change needs no restart. */
export class LiveConfiguration {
  #current: Configuration
  #text: string
  readonly #path: string | undefined
  readonly #log: (line: string) => void
  readonly #timer: NodeJS.Timeout | undefined
  readonly #listeners: (() => void)[] = []

  /**
   * Reads the file at `path` (without one, the defaults hold) and goes on watching it.
   * @throws ConfigurationError when the file is missing or wrong now; later the last good one holds instead
   */
  constructor(path: string | undefined, log: (line: string) => void) {
    this.#path = path
    this.#log = log
    this.#text = path === undefined ? "{}" : readNow(path)
    this.#current = parseConfiguration(this.#text)
    if (path !== undefined) this.#timer = setInterval(() => void this.#poll(path), POLL_MS).unref()
  }

  get current(): Configuration {
    return this.#current
  }

  get path(): string | undefined {
    return this.#path
  }

  /** Calls `listener` after each change. */
  listen(listener: () => void): void {
    this.#listeners.push(listener)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #poll(path: string): Promise<void> {
    const text = await readFile(path, "utf8").catch(() => undefined)
    if (text === undefined || text === this.#text) return
    this.#text = text
    try {
      this.#current = parseConfiguration(text)
      this.#log("SERVICE_CONFIG was read again")
      for (const listener of this.#listeners) listener()
    } catch (error) {
      // Also half of a file that is being overwritten: the next look finds the rest.
      this.#log(
        `SERVICE_CONFIG cannot be used, the last good one holds: ${error instanceof Error ? error.message : ""}`,
      )
    }
  }
}

function readNow(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (cause) {
    throw new ConfigurationError("the file cannot be read", { cause })
  }
}

/** Reads a configuration from its JSON text. @throws ConfigurationError naming the key that is wrong */
export function parseConfiguration(text: string): Configuration {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ConfigurationError("the file is not JSON", { cause })
  }
  const root = members(value, "the file")
  const limits = members(root["limits"] ?? {}, "limits")
  return {
    credentials: root["credentials"] === undefined ? undefined : readCredentials(root["credentials"]),
    heartbeatSeconds: upTo(
      MOST_HEARTBEAT_SECONDS,
      positive(root["heartbeatSeconds"] ?? HEARTBEAT_SECONDS, "heartbeatSeconds"),
      "heartbeatSeconds",
    ),
    pace: upTo(MOST_PACE, amount(root["pace"] ?? 1, "pace"), "pace"),
    uploadLifetimeSeconds: amount(root["uploadLifetimeSeconds"] ?? 86_400, "uploadLifetimeSeconds"),
    limits: {
      readPerMinute: count(limits, "readPerMinute"),
      writePerMinute: count(limits, "writePerMinute"),
      unauthenticatedPerMinute: count(limits, "unauthenticatedPerMinute"),
      streamsPerCredential: count(limits, "streamsPerCredential"),
      activeWork: count(limits, "activeWork"),
    },
  }
}

function readCredentials(value: unknown): CredentialEntry[] {
  return list(value, "credentials").map((item, index) => {
    const name = `credentials[${index}]`
    const entry = members(item, name)
    const token = word(entry["token"], `${name}.token`)
    if (!/^[\x21-\x7e]+$/.test(token))
      throw new ConfigurationError(`${name}.token must be visible ASCII without spaces`)
    const scopes = list(entry["scopes"] ?? DEFAULT_SCOPES, `${name}.scopes`).map((scope) =>
      word(scope, `${name}.scopes`),
    )
    const unknown = scopes.find((scope) => !ALL_SCOPES.includes(scope))
    if (unknown !== undefined) throw new ConfigurationError(`${name}.scopes has an unknown scope: ${unknown}`)
    const colleagues = entry["colleagues"]
    return {
      token,
      account: word(entry["account"] ?? DEMO_ACCOUNT, `${name}.account`),
      owner: word(entry["owner"] ?? DEMO_OWNER, `${name}.owner`),
      scopes,
      ...(colleagues === undefined
        ? {}
        : { colleagues: list(colleagues, `${name}.colleagues`).map((id) => word(id, `${name}.colleagues`)) }),
    }
  })
}

function members(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ConfigurationError(`${name} must be an object`)
  }
  return Object.fromEntries(Object.entries(value))
}

function list(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) throw new ConfigurationError(`${name} must be a list`)
  return value
}

function word(value: unknown, name: string): string {
  if (typeof value !== "string" || value === "")
    throw new ConfigurationError(`${name} must be a text that is not empty`)
  return value
}

function amount(value: unknown, name: string): number {
  if (typeof value !== "number" || value < 0) throw new ConfigurationError(`${name} must be a number of at least 0`)
  return value
}

function positive(value: unknown, name: string): number {
  if (amount(value, name) === 0) throw new ConfigurationError(`${name} must be greater than 0`)
  return amount(value, name)
}

function upTo(most: number, value: number, name: string): number {
  if (value > most) throw new ConfigurationError(`${name} must be at most ${most}`)
  return value
}

function count(limits: Readonly<Record<string, unknown>>, key: keyof Limits): number {
  const value = limits[key] ?? DEFAULT_LIMITS[key]
  if (!Number.isInteger(value)) throw new ConfigurationError(`limits.${key} must be a whole number`)
  return amount(value, `limits.${key}`)
}
