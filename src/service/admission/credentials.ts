import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ALL_SCOPES, DEMO_ACCOUNT, DEMO_OWNER } from "../configuration.ts"
import type { Configuration, CredentialEntry, LiveConfiguration } from "../configuration.ts"
import { writeDurably } from "../store/durable-file.ts"

/** The credential of a request. Its `id` is the digest of the token, so that no other part of the service sees the token. */
export type Credential = {
  readonly id: string
  readonly account: string
  readonly owner: string
  readonly scopes: ReadonlySet<string>
  /** The ids of the colleagues that the credential may use. Undefined: all colleagues. */
  readonly colleagues: ReadonlySet<string> | undefined
}

type KnownCredential = { readonly digest: Buffer; readonly credential: Credential }

/** The valid credentials: those of the configuration, and the service's own credential. */
export class Credentials {
  readonly #configuration: LiveConfiguration
  readonly #ownToken: string
  readonly #isOwnAlwaysValid: boolean
  #readFrom: Configuration | undefined
  #known: readonly KnownCredential[] = []

  /** The service's own credential has every scope. It is valid always, or only while the configuration names no credentials. */
  constructor(configuration: LiveConfiguration, ownToken: string, isOwnAlwaysValid: boolean) {
    this.#configuration = configuration
    this.#ownToken = ownToken
    this.#isOwnAlwaysValid = isOwnAlwaysValid
  }

  /**
   * Gives the credential of an `Authorization` header (RFC 6750), or undefined. The token's digest is compared with all known digests in
   * constant time, so that the response time tells nothing about a token.
   */
  authenticate(authorization: string | undefined): Credential | undefined {
    const token = /^bearer +([^ ]+)$/i.exec(authorization ?? "")?.[1]
    if (token === undefined) return undefined
    const digest = createHash("sha256").update(token, "latin1").digest()
    let found: Credential | undefined
    for (const known of this.#current()) if (timingSafeEqual(known.digest, digest)) found = known.credential
    return found
  }

  /** Gives the credential with its current scopes, or undefined when it was revoked. */
  find(id: string): Credential | undefined {
    return this.#current().find(({ credential }) => credential.id === id)?.credential
  }

  #current(): readonly KnownCredential[] {
    const { current } = this.#configuration
    if (current !== this.#readFrom) {
      this.#readFrom = current
      const own = { token: this.#ownToken, account: DEMO_ACCOUNT, owner: DEMO_OWNER, scopes: [...ALL_SCOPES] }
      const isOwnValid = this.#isOwnAlwaysValid || current.credentials === undefined
      this.#known = [...(current.credentials ?? []), ...(isOwnValid ? [own] : [])].map(toKnown)
    }
    return this.#known
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

function toKnown(entry: CredentialEntry): KnownCredential {
  const digest = createHash("sha256").update(entry.token, "latin1").digest()
  return {
    digest,
    credential: {
      id: digest.toString("hex"),
      account: entry.account,
      owner: entry.owner,
      scopes: new Set(entry.scopes),
      colleagues: entry.colleagues === undefined ? undefined : new Set(entry.colleagues),
    },
  }
}
