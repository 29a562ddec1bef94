/** The configuration file of the embedded service. */
import * as v from "valibot"
import { operations } from "../contract/operations.ts"
import { HEARTBEAT_SECONDS } from "../contract/limits.ts"
import { FileFault, type RereadFiles } from "../platform/reread-files.ts"

/** The defaults of a credential's `account` and `owner`. */
export const DEMO_ACCOUNT = "sa_demo"
export const DEMO_OWNER = "owner_demo"

export const ALL_SCOPES: readonly string[] = [...new Set(Object.values(operations).map(({ scope }) => scope))]

const DAY_SECONDS = 86_400
const YEAR_SECONDS = 366 * DAY_SECONDS
const ENTRIES_MAX = 1000
const HIGHEST_LIMIT = 1_000_000_000

const number = v.pipe(v.number("must be a number"), v.finite("must be a number"))
const between = (least: number, most: number) =>
  v.pipe(number, v.minValue(least, `must be at least ${least}`), v.maxValue(most, `must be at most ${most}`))
const limit = (preset: number) =>
  v.optional(v.pipe(between(0, HIGHEST_LIMIT), v.integer("must be a whole number")), preset)
const word = v.pipe(
  v.string("must be text"),
  v.nonEmpty("must not be empty"),
  v.maxLength(1000, "must have at most 1000 characters"),
)
const list = <Item extends v.GenericSchema>(item: Item) =>
  v.pipe(v.array(item, "must be a list"), v.maxLength(ENTRIES_MAX, `must have at most ${ENTRIES_MAX} entries`))

/** An object that refuses unknown keys, because a misspelt key would silently leave its default in force. */
const object = <Entries extends v.ObjectEntries>(entries: Entries) => {
  const known = Object.keys(entries).join(", ")
  const messageOf = ({ expected, received }: { expected: string | null; received: string }) => {
    if (expected === "Object") return "must be an object"
    return received === "undefined" ? "is missing" : `is not a known key (known: ${known})`
  }
  // Valibot accepts a list as an object.
  const isObject = v.check((value: unknown) => !Array.isArray(value), "must be an object")
  return v.pipe(v.unknown(), isObject, v.strictObject(entries, messageOf))
}

const Credential = object({
  token: v.pipe(word, v.regex(/^[\x21-\x7e]+$/, "must be visible ASCII without spaces")),
  account: v.optional(word, DEMO_ACCOUNT),
  owner: v.optional(word, DEMO_OWNER),
  scopes: v.optional(
    list(
      v.pipe(
        word,
        v.check((scope) => ALL_SCOPES.includes(scope), "is not a scope of the API"),
      ),
    ),
    () => [operations.listWork.scope],
  ),
  colleagues: v.exactOptional(list(word)),
})

const Configuration = object({
  credentials: v.exactOptional(
    v.pipe(
      list(Credential),
      v.check(
        (all) => new Set(all.map(({ token }) => token)).size === all.length,
        "must not contain the same token twice",
      ),
    ),
  ),
  // A day at most, because a timer of Node fires at once for a delay of more than 24 days.
  heartbeatSeconds: v.optional(
    v.pipe(between(0, DAY_SECONDS), v.gtValue(0, "must be greater than 0")),
    HEARTBEAT_SECONDS,
  ),
  pace: v.optional(between(0, 10_000), 1),
  uploadLifetimeSeconds: v.optional(between(0, YEAR_SECONDS), DAY_SECONDS),
  demonstration: v.optional(v.boolean("must be true or false"), true),
  limits: v.optional(
    object({
      readPerMinute: limit(600),
      writePerMinute: limit(120),
      unauthenticatedPerMinute: limit(60),
      streamsPerCredential: limit(16),
      activeWork: limit(200),
    }),
    {},
  ),
})

/** A service account's credential. Without `colleagues` the account may delegate to all colleagues. */
export type CredentialEntry = Readonly<v.InferOutput<typeof Credential>>

/** The configuration of docs/embedded-service.md. Without `credentials` the service makes one. */
export type Configuration = Readonly<v.InferOutput<typeof Configuration>>

export type Limits = Configuration["limits"]

/** Reads a configuration from its JSON text. @throws FileFault that names the wrong key */
export function parseConfiguration(text: string): Configuration {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new FileFault("is not JSON")
  }
  const result = v.safeParse(Configuration, value, { abortEarly: true })
  if (result.success) return result.output
  const [issue] = result.issues
  throw new FileFault(`is wrong: ${nameOf(issue)} ${issue.message}`)
}

/** The path of an issue in JavaScript's notation, for instance `credentials[0].token`. */
function nameOf(issue: v.BaseIssue<unknown>): string {
  const keys = issue.path?.map(({ key }) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)) ?? []
  return keys.length === 0 ? "the file" : keys.join("").replace(/^\./, "").slice(0, 200)
}

/** The configuration in force. `current` is read at each use, so a change needs no restart. */
export class LiveConfiguration {
  #current = parseConfiguration("{}")
  readonly #listeners: (() => void)[] = []

  /**
   * Reads the file at `path` now and whenever it changes. Without a path the defaults apply.
   * @throws ConfigurationError when the file is missing or wrong now. If the file becomes wrong later, the last good configuration applies.
   */
  constructor(path: string | undefined, files: RereadFiles) {
    if (path === undefined) return
    files.follow("SERVICE_CONFIG", path, (text) => {
      this.#current = parseConfiguration(text)
      for (const listener of this.#listeners) listener()
    })
  }

  get current(): Configuration {
    return this.#current
  }

  /** Calls `listener` after each change. */
  listen(listener: () => void): void {
    this.#listeners.push(listener)
  }
}
