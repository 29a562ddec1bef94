import type { SecretPlace } from "./provider/provider.ts"
import { parseDuration, ConfigurationError, isProtected } from "../platform/configuration-error.ts"
import { parseSecret, readSecret, type RereadFiles } from "../platform/reread-files.ts"

export type PeopleConfiguration = { readonly mode: "local" } | SignInConfiguration

/** The configuration of sign-in with OpenID Connect (`docs/operating.md`, "Sign-in"). */
export type SignInConfiguration = {
  readonly mode: "sign-in"
  /** The provider's issuer URL, as OIDC_ISSUER has it. */
  readonly issuer: string
  readonly clientId: string
  /** Gives the present secret. Undefined: a public client, or a command that does not sign in. */
  readonly clientSecret: (() => string) | undefined
  readonly secretIn: SecretPlace | undefined
  readonly scopes: string
  readonly groupsClaim: string
  /** The address that browsers use: an origin, without a path. */
  readonly publicUrl: URL
  readonly accessFile: string
  readonly idleMs: number
  readonly maxMs: number
}

type Environment = Readonly<Record<string, string | undefined>>

/** Variables of sign-in whose names do not begin with OIDC_. */
const NEEDS_ISSUER = ["PUBLIC_URL", "ACCESS_FILE"]
/** These variables may be left out, but not be empty. */
const OPTIONAL = ["OIDC_SCOPES", "OIDC_GROUPS_CLAIM"]
// The characters of scopes (RFC 6749, 3.3).
const SCOPES = /^[\x21\x23-\x5b\x5d-\x7e]+(?: +[\x21\x23-\x5b\x5d-\x7e]+)*$/
// An origin with an optional slash at its end. The URL parser alone would accept "https:/host" and "https:\\host".
const ORIGIN = /^https?:\/\/[^/?#@\\\s]+\/?$/i

/**
 * Reads the mode of the desk and the configuration of sign-in. An empty variable is an error, and so is a variable of sign-in without
 * OIDC_ISSUER: a typing error must never put a desk into local mode, where nobody signs in. Without `files` the client's secret is not read.
 * @throws ConfigurationError when a value is missing, wrong, empty or contradicts another
 */
export function readPeopleConfiguration(env: Environment, files?: RereadFiles): PeopleConfiguration {
  const idleMs = readDuration(env, "SESSION_IDLE", "2h")
  const maxMs = readDuration(env, "SESSION_MAX", "12h")
  if (env["OIDC_ISSUER"] === undefined) {
    const stray = Object.keys(env).find(
      (name) => env[name] !== undefined && (name.startsWith("OIDC_") || NEEDS_ISSUER.includes(name)),
    )
    if (stray !== undefined)
      throw new ConfigurationError(`${stray} is set, but OIDC_ISSUER is not: set both, or neither`)
    return { mode: "local" }
  }
  for (const name of OPTIONAL) if (env[name] !== undefined) filled(env, name)
  const scopes = env["OIDC_SCOPES"] ?? "openid profile email"
  if (!SCOPES.test(scopes) || !scopes.split(" ").includes("openid")) {
    throw new ConfigurationError("OIDC_SCOPES must be scopes with spaces between them, and openid among them")
  }
  return {
    mode: "sign-in",
    issuer: readIssuer(filled(env, "OIDC_ISSUER")),
    clientId: filled(env, "OIDC_CLIENT_ID"),
    clientSecret: files && readSecret(env, "OIDC_CLIENT_SECRET", files, parseSecret),
    secretIn: readSecretPlace(env["OIDC_CLIENT_SECRET_IN"]),
    scopes,
    groupsClaim: env["OIDC_GROUPS_CLAIM"] ?? "groups",
    publicUrl: readPublicUrl(filled(env, "PUBLIC_URL")),
    accessFile: filled(env, "ACCESS_FILE"),
    idleMs,
    maxMs,
  }
}

function filled(env: Environment, name: string): string {
  const value = env[name]
  if (value === undefined) throw new ConfigurationError(`${name} is required with OIDC_ISSUER`)
  if (value.trim() === "") throw new ConfigurationError(`${name} is empty`)
  return value
}

function readSecretPlace(value: string | undefined): SecretPlace | undefined {
  if (value === undefined || value === "header" || value === "body") return value
  throw new ConfigurationError("OIDC_CLIENT_SECRET_IN must be header or body")
}

function readIssuer(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !isProtected(url) || !/^https?:\/\/[^\\\s]+$/i.test(value)) {
    throw new ConfigurationError(
      "OIDC_ISSUER must be an address that begins with https:// (or http:// on this machine)",
    )
  }
  if (url.username !== "" || url.password !== "" || /[?#]/.test(value)) {
    throw new ConfigurationError("OIDC_ISSUER must have no credentials, query or fragment")
  }
  return value
}

function readPublicUrl(value: string): URL {
  const url = ORIGIN.test(value) && URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined) {
    throw new ConfigurationError(
      "PUBLIC_URL must be an address such as https://desk.example, without user, path, query and fragment",
    )
  }
  if (!isProtected(url)) {
    throw new ConfigurationError(
      "PUBLIC_URL must be https, because sessions would travel in the clear: plain http is for this machine only",
    )
  }
  return url
}

/** Reads a duration such as `30m`. Gives milliseconds. */
function readDuration(env: Environment, name: string, defaultValue: string): number {
  const milliseconds = parseDuration(env[name] ?? defaultValue)
  if (milliseconds === undefined || milliseconds === 0) {
    throw new ConfigurationError(
      `${name} must be a whole number with s, m or h, such as 30m: at least 1s, at most a year`,
    )
  }
  return milliseconds
}
