/** Reads the variables of sign-in. */
import type { SecretPlace } from "./provider/provider.ts"
import { ConfigurationError } from "../../platform/configuration-error.ts"
import { demand, type Environment, readDuration, readUrl, required } from "../../platform/environment.ts"
import { parseSecret, readSecret, type RereadFiles } from "../../platform/reread-files.ts"

export type PeopleConfiguration = { readonly mode: "local" } | SignInConfiguration

/** The configuration of sign-in with OpenID Connect (`docs/reference.md`, "Sign-in"). */
export type SignInConfiguration = {
  readonly mode: "sign-in"
  /** The provider's issuer URL, as OIDC_ISSUER has it. */
  readonly issuer: string
  readonly clientId: string
  /** Returns the present secret. Undefined: a public client, or a command that does not sign in. */
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

/** Variables of sign-in whose names do not begin with OIDC_. */
const NEEDS_ISSUER = ["PUBLIC_URL", "ACCESS_FILE"]
// The characters of scopes (RFC 6749, 3.3).
const SCOPES = /^[\x21\x23-\x5b\x5d-\x7e]+(?: +[\x21\x23-\x5b\x5d-\x7e]+)*$/

/**
 * Reads the mode of the desk and the configuration of sign-in. An empty variable is an error, and so is a variable of sign-in without
 * OIDC_ISSUER: a typing error must never put a desk into local mode, where nobody signs in. Without `files` the client's secret is not read.
 * @throws ConfigurationError when a value is missing, wrong, empty or contradicts another
 */
export function readPeopleConfiguration(env: Environment, files?: RereadFiles): PeopleConfiguration {
  const idleMs = readDuration(env, "SESSION_IDLE", "2h", "1s", "8784h")
  const maxMs = readDuration(env, "SESSION_MAX", "12h", "1s", "8784h")
  if (env["OIDC_ISSUER"] === undefined) {
    const stray = Object.keys(env).find(
      (name) => env[name] !== undefined && (name.startsWith("OIDC_") || NEEDS_ISSUER.includes(name)),
    )
    demand(stray === undefined, `${stray} is set, but OIDC_ISSUER is not: set both, or neither`)
    return { mode: "local" }
  }
  const valueOf = (name: string) => required(env, name, "OIDC_ISSUER")
  const scopes = env["OIDC_SCOPES"] ?? "openid profile email"
  const areScopes = SCOPES.test(scopes) && scopes.split(" ").includes("openid")
  demand(areScopes, "OIDC_SCOPES must be scopes separated by spaces, including openid")
  const issuer = valueOf("OIDC_ISSUER")
  readUrl("OIDC_ISSUER", issuer, ["path"])
  return {
    mode: "sign-in",
    issuer,
    clientId: valueOf("OIDC_CLIENT_ID"),
    clientSecret: files && readSecret(env, "OIDC_CLIENT_SECRET", files, parseSecret),
    secretIn: readSecretPlace(env["OIDC_CLIENT_SECRET_IN"]),
    scopes,
    groupsClaim: env["OIDC_GROUPS_CLAIM"] === undefined ? "groups" : valueOf("OIDC_GROUPS_CLAIM"),
    publicUrl: readUrl("PUBLIC_URL", valueOf("PUBLIC_URL"), []),
    accessFile: valueOf("ACCESS_FILE"),
    idleMs,
    maxMs,
  }
}

function readSecretPlace(value: string | undefined): SecretPlace | undefined {
  if (value === undefined || value === "header" || value === "body") return value
  throw new ConfigurationError("OIDC_CLIENT_SECRET_IN must be header or body")
}
