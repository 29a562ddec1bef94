/** The checks of sign-in: the provider's metadata, keys, clock, the client, and what to register there. */
import * as v from "valibot"
import type { ServerMetadata } from "openid-client"
import { CALLBACK_PATH } from "../../desk/http/routes/sign-in-routes.ts"
import type { SignInConfiguration } from "../../desk/people/sign-in-configuration.ts"
import { CLOCK_TOLERANCE_SECONDS, Provider } from "../../desk/people/provider/provider.ts"
import { ProviderInvalidError } from "../../desk/people/provider/provider-errors.ts"
import { findScopeFault } from "../../desk/people/provider/provider-scopes.ts"
import { SIGNATURES } from "../../desk/people/provider/provider-keys.ts"
import { parseObject } from "../../platform/http/json-object.ts"
import { ANSWER_MS, bad, type CheckLine, clockLine, describeFailure, good } from "./check-line.ts"
import { namesGroups } from "../../desk/people/access-file.ts"
import { readAccessNow } from "./machine-checks.ts"
import { probe } from "./probe-request.ts"

const REGISTER = "at the provider, register the redirect address"

export async function checkProvider(people: SignInConfiguration): Promise<readonly CheckLine[]> {
  const { host } = new URL(people.issuer)
  let metadata: ServerMetadata
  try {
    const provider = new Provider({ ...people, seconds: ANSWER_MS / 1_000 })
    ;({ metadata } = await provider.discovered())
  } catch (error) {
    const isInvalid = error instanceof ProviderInvalidError
    const { found, change } = describeFailure(error, "correct OIDC_ISSUER, or start the provider")
    const sentence = isInvalid ? `has no valid metadata: ${error.message}` : found
    const issuer = "correct OIDC_ISSUER: the provider's metadata are at OIDC_ISSUER/.well-known/openid-configuration"
    return [bad("provider", `${host}: ${sentence}`, isInvalid ? issuer : change)]
  }
  const lines = await Promise.all([checkKeys(metadata), checkClient(people, metadata), checkRedirect(people, metadata)])
  return [good("provider", `${host} has valid metadata`), ...lines.flat(), checkClaims(people, metadata)]
}

const keySet = v.object({ keys: v.array(v.object({ kty: v.string(), alg: v.optional(v.string()) })) })

async function checkKeys({ jwks_uri: address = "" }: ServerMetadata): Promise<readonly CheckLine[]> {
  try {
    const { text, date, middle } = await probe(address)
    const read = v.safeParse(keySet, parseObject(text))
    const usable = read.success
      ? read.output.keys.filter(({ kty, alg }) => kty !== "oct" && (alg === undefined || SIGNATURES.includes(alg)))
      : []
    const change = "at the provider, sign ID tokens with RS256, PS256, ES256 or EdDSA"
    const line =
      usable.length > 0
        ? good("provider keys", `${usable.length} can verify a sign-in`)
        : bad("provider keys", "the provider has no key that can verify a sign-in", change)
    const clock = { whose: "the provider's", theirs: date, middle, allowedSeconds: CLOCK_TOLERANCE_SECONDS }
    return [line, ...clockLine("provider clock", clock)]
  } catch (error) {
    const { found, change } = describeFailure(error, "let this machine reach the jwks_uri of the provider's metadata")
    return [bad("provider keys", found, change)]
  }
}

/** Errors of a token endpoint that are about the client and not about the code (RFC 6749, 5.2). */
const CLIENT_ERRORS = ["invalid_client", "unauthorized_client"]

/** Exchanges a code that can't exist. A provider that accepts the client complains only about the code. */
async function checkClient(people: SignInConfiguration, metadata: ServerMetadata): Promise<readonly CheckLine[]> {
  const { clientId, clientSecret, secretIn, publicUrl } = people
  const { token_endpoint: address = "", token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } =
    metadata
  const secret = clientSecret?.()
  const place = secretIn ?? (methods.includes("client_secret_basic") ? "header" : "body")
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code: "workdesk-check",
    code_verifier: "workdesk-check-workdesk-check-workdesk-check",
    redirect_uri: new URL(CALLBACK_PATH, publicUrl).href,
    ...((secret === undefined || place === "body") && { client_id: clientId }),
    ...(secret !== undefined && place === "body" && { client_secret: secret }),
  })
  const encoded = [clientId, secret ?? ""].map((part) => new URLSearchParams({ part }).toString().slice("part=".length))
  const basic = Buffer.from(encoded.join(":")).toString("base64")
  const headers = {
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
    ...(secret !== undefined && place === "header" && { authorization: `Basic ${basic}` }),
  }
  try {
    const { status, text } = await probe(address, { method: "POST", headers, body: form.toString() })
    const error = parseObject(text)?.["error"]
    if (status === 401 || CLIENT_ERRORS.includes(String(error))) {
      const where = "set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET (or its file) to the provider's values"
      const other = place === "header" ? "body" : "header"
      const change = secret === undefined ? where : `${where}; if they are correct, set OIDC_CLIENT_SECRET_IN=${other}`
      return [bad("client secret", "the provider refuses the client or its secret", change)]
    }
    if (error === "invalid_grant") return [good("client secret", "the provider accepts the client")]
    return [good("client secret", `can't be checked without a sign-in: the provider answered ${status}`)]
  } catch (error) {
    const { found, change } = describeFailure(error, "let this machine reach the provider's token_endpoint")
    return [bad("client secret", `the token endpoint: ${found}`, change)]
  }
}

/** Starts a sign-in without a browser. If the provider doesn't know the client or the address, it answers with an error instead of its page. */
async function checkRedirect(people: SignInConfiguration, metadata: ServerMetadata): Promise<readonly CheckLine[]> {
  const redirect = new URL(CALLBACK_PATH, people.publicUrl).href
  const url = new URL(metadata.authorization_endpoint ?? "")
  const parameters = {
    client_id: people.clientId,
    redirect_uri: redirect,
    response_type: "code",
    scope: people.scopes,
    state: "workdesk-check",
    nonce: "workdesk-check",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  const others = [
    `after sign-out ${new URL("/", people.publicUrl).href}`,
    `back-channel logout ${new URL("/desk/sign-out/back", people.publicUrl).href}`,
  ]
  const toRegister = `${redirect}; ${others.join("; ")}`
  try {
    const { status, headers } = await probe(url.href, { headers: { accept: "text/html" } })
    const location = String(headers["location"] ?? "")
    const error = URL.parse(location, url)?.searchParams.get("error")
    if (error !== null && error !== undefined) {
      const known = error === "invalid_scope" ? "correct OIDC_SCOPES" : "correct the client's settings at the provider"
      const safe = /^\w{1,60}$/.test(error) ? error : "an error"
      return [bad("redirect address", `the provider refuses to start a sign-in: ${safe}`, known)]
    }
    if (status >= 400) {
      const found = `the provider refuses to start a sign-in (${status}): it doesn't know the client or the address`
      return [bad("redirect address", found, `${REGISTER} ${redirect}, and check OIDC_CLIENT_ID`)]
    }
    return [good("redirect address", `must be registered at the provider: ${toRegister}`)]
  } catch (error) {
    const { found } = describeFailure(error, "")
    const sentence = `must be registered at the provider: ${toRegister}`
    return [good("redirect address", `${sentence} (this machine couldn't check it: ${found})`)]
  }
}

/** The claims that the access file needs from a sign-in, and whether the scopes match what the provider offers. */
function checkClaims({ scopes, groupsClaim, accessFile }: SignInConfiguration, metadata: ServerMetadata): CheckLine {
  const access = readAccessNow(accessFile)
  const text = JSON.stringify(access)
  const needed = [
    ...(typeof access !== "string" && namesGroups(access) ? [groupsClaim] : []),
    ...(text.includes('"kind":"email"') ? ["email, email_verified"] : []),
    ...(text.includes("maxAuthenticationAgeSeconds") ? ["auth_time"] : []),
  ]
  const fault = findScopeFault({ scopes, groupsClaim, needsGroups: needed.includes(groupsClaim) }, metadata)
  if (fault !== undefined) return bad("claims", fault.found, fault.change)
  const sentence = needed.length === 0 ? "sub" : `sub, ${needed.join(", ")}`
  return good("claims", `a sign-in needs ${sentence}: sign in once, then npm run access -- explain PERSON`)
}
