/** The credentials of the API, and the tokens that the embedded service makes and keeps. */
import { hash, randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ALL_SCOPES, type CredentialEntry, DEMO_ACCOUNT, DEMO_OWNER, type LiveConfiguration } from "../configuration.ts"
import { writeDurably } from "../store/durable-file.ts"

/** The credential of a request. Its `id` is the SHA-256 of the token, so that no other part of the service sees the token. */
export type Credential = {
  readonly id: string
  readonly account: string
  readonly owner: string
  readonly scopes: ReadonlySet<string>
  /** The ids of the colleagues that the credential may use. Undefined: all colleagues. */
  readonly colleagues: ReadonlySet<string> | undefined
}

/** The valid credentials: those of the configuration, and the service's own credential. */
export class Credentials {
  readonly #configuration: LiveConfiguration
  readonly #own: CredentialEntry
  readonly #isOwnAlwaysValid: boolean
  #byId: ReadonlyMap<string, Credential> = new Map()

  /** The service's own credential has every scope. It is valid always, or only while the configuration names no credentials. */
  constructor(configuration: LiveConfiguration, ownToken: string, isOwnAlwaysValid: boolean) {
    this.#configuration = configuration
    this.#own = { token: ownToken, account: DEMO_ACCOUNT, owner: DEMO_OWNER, scopes: [...ALL_SCOPES] }
    this.#isOwnAlwaysValid = isOwnAlwaysValid
    this.#read()
    configuration.listen(() => this.#read())
  }

  /** Finds the credential of an `Authorization` header (RFC 6750). The digest is looked up, so that the time reveals nothing about a token. */
  authenticate(authorization: string | undefined): Credential | undefined {
    const token = /^bearer +([^ ]+)$/i.exec(authorization ?? "")?.[1]
    return token === undefined ? undefined : this.find(idOf(token))
  }

  /** The credential with its present scopes. Undefined: it was revoked. */
  find(id: string): Credential | undefined {
    return this.#byId.get(id)
  }

  #read(): void {
    const { credentials } = this.#configuration.current
    const isOwnValid = this.#isOwnAlwaysValid || credentials === undefined
    const entries = [...(credentials ?? []), ...(isOwnValid ? [this.#own] : [])]
    this.#byId = new Map(entries.map(toCredential).map((credential) => [credential.id, credential]))
  }
}

/** Makes a token for the service's own credential. */
export function newToken(): string {
  return `wd_${randomBytes(24).toString("base64url")}`
}

const tokenFile = (dataFolder: string) => join(dataFolder, "token")

/** Reads the token of an earlier start, if there is a token. @throws Error when the file cannot be read: a new token would lock out clients */
export function readKeptToken(dataFolder: string): string | undefined {
  try {
    return readFileSync(tokenFile(dataFolder), "utf8").trim() || undefined
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw error
  }
}

/** Keeps a token in the data folder, readable by the user of the process alone. */
export function keepToken(dataFolder: string, token: string): void {
  writeDurably(tokenFile(dataFolder), `${token}\n`)
}

const idOf = (token: string): string => hash("sha256", token)

function toCredential({ token, account, owner, scopes, colleagues }: CredentialEntry): Credential {
  return {
    id: idOf(token),
    account,
    owner,
    scopes: new Set(scopes),
    colleagues: colleagues === undefined ? undefined : new Set(colleagues),
  }
}
