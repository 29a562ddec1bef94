import { createHash, timingSafeEqual } from "node:crypto"
import type { CredentialEntry, LiveConfiguration } from "../configuration.ts"

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

/** The valid credentials: those of the configuration, or the service's own credential if the configuration names none. */
export class Credentials {
  readonly #configuration: LiveConfiguration
  readonly #own: readonly CredentialEntry[]
  readonly #fallback: readonly CredentialEntry[]
  #entries: readonly CredentialEntry[] | undefined
  #known: readonly KnownCredential[] = []

  /** `own` is valid with every configuration, `fallback` only while the configuration names no credentials. */
  constructor(configuration: LiveConfiguration, own: readonly CredentialEntry[], fallback: readonly CredentialEntry[]) {
    this.#configuration = configuration
    this.#own = own
    this.#fallback = fallback
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
    const entries = this.#configuration.current.credentials ?? this.#fallback
    if (entries !== this.#entries) {
      this.#entries = entries
      this.#known = [...entries, ...this.#own].map(toKnown)
    }
    return this.#known
  }
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
