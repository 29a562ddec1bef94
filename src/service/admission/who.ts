import { createHash, timingSafeEqual } from "node:crypto"
import type { CredentialEntry, LiveConfiguration } from "../configuration.ts"

/** The credential of a request. Its `id` is the digest of the token, so that no token is passed on. */
export type Credential = {
  readonly id: string
  readonly account: string
  readonly owner: string
  readonly scopes: ReadonlySet<string>
  /** Undefined: all of them. */
  readonly colleagues: ReadonlySet<string> | undefined
}

type Known = { readonly digest: Buffer; readonly credential: Credential }

/** The credentials in force: the credentials of the configuration, or the service's own credential where the file names none. */
export class Credentials {
  readonly #configuration: LiveConfiguration
  readonly #own: readonly CredentialEntry[]
  readonly #fallback: readonly CredentialEntry[]
  #entries: readonly CredentialEntry[] | undefined
  #known: readonly Known[] = []

  /** `own` is valid with every configuration; `fallback` only while the configuration names no credentials. */
  constructor(configuration: LiveConfiguration, own: readonly CredentialEntry[], fallback: readonly CredentialEntry[]) {
    this.#configuration = configuration
    this.#own = own
    this.#fallback = fallback
  }

  /**
   * The credential of an `Authorization` header (RFC 6750), or undefined. Digests are compared, every one of them and in
   * constant time, so that the time tells nothing about a token.
   */
  authenticate(authorization: string | undefined): Credential | undefined {
    const token = /^bearer +([^ ]+)$/i.exec(authorization ?? "")?.[1]
    if (token === undefined) return undefined
    const digest = createHash("sha256").update(token, "latin1").digest()
    let found: Credential | undefined
    for (const known of this.#current()) if (timingSafeEqual(known.digest, digest)) found = known.credential
    return found
  }

  /** The credential as it is now, or undefined when it was revoked. */
  find(id: string): Credential | undefined {
    return this.#current().find(({ credential }) => credential.id === id)?.credential
  }

  #current(): readonly Known[] {
    const entries = this.#configuration.current.credentials ?? this.#fallback
    if (entries !== this.#entries) {
      this.#entries = entries
      this.#known = [...entries, ...this.#own].map(digestOf)
    }
    return this.#known
  }
}

function digestOf(entry: CredentialEntry): Known {
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
