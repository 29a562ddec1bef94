/** Checks the tokens with which the identity provider ends sessions. */
import { errors, jwtVerify } from "jose"
import * as v from "valibot"
import { providerErrorIn } from "./provider-errors.ts"
import { CLOCK_TOLERANCE_SECONDS, type Provider } from "./provider.ts"
import { SIGNATURES } from "./provider-keys.ts"

/** The claims of a logout token (OpenID Connect Back-Channel Logout 1.0, 2.4). */
export type LogoutToken = {
  readonly issuer: string
  readonly jti: string
  /** In milliseconds since 1970. Until then the token must not work a second time. */
  readonly expiresAt: number
  readonly sid: string | undefined
  readonly subject: string | undefined
}

const EVENT = "http://schemas.openid.net/event/backchannel-logout"
const filled = v.pipe(v.string(), v.nonEmpty())

const claims = v.pipe(
  v.object({
    jti: filled,
    exp: v.number(),
    sub: v.optional(filled),
    sid: v.optional(filled),
    events: v.object({ [EVENT]: v.record(v.string(), v.unknown()) }),
    // A token with a nonce is an ID token.
    nonce: v.optional(v.undefined()),
  }),
  v.check(({ sub, sid }) => sub !== undefined || sid !== undefined),
)

/** Checks a logout token. @returns undefined when it is refused @throws ProviderAwayError, ProviderInvalidError */
export async function readLogoutToken(
  provider: Provider,
  clientId: string,
  token: string,
): Promise<LogoutToken | undefined> {
  const { metadata, keys } = await provider.discovered()
  const { issuer } = metadata
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer,
      audience: clientId,
      algorithms: SIGNATURES,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ["iat", "exp", "jti"],
      maxTokenAge: "1d",
    })
    // Older providers send no `typ`, or the general `JWT`.
    if (!["logout+jwt", "jwt", undefined].includes(protectedHeader.typ?.toLowerCase())) return undefined
    const found = v.safeParse(claims, payload)
    if (!found.success) return undefined
    const { jti, exp, sid, sub } = found.output
    return { issuer, jti, expiresAt: (exp + CLOCK_TOLERANCE_SECONDS) * 1_000, sid, subject: sub }
  } catch (error) {
    const ours = providerErrorIn(error)
    if (ours !== undefined) throw ours
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
    throw error
  }
}
