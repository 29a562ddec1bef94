import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from "jose"
import { providerErrorIn, ProviderInvalidError } from "./provider-errors.ts"
import { providerFetch } from "./provider-fetch.ts"

/** The signature algorithms that the desk accepts: neither `none` nor an algorithm with a shared secret. */
export const SIGNATURES =
  "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519 ML-DSA-44 ML-DSA-65 ML-DSA-87".split(" ")

const ASK_AGAIN_MS = 60_000
const KEEP_MS = 600_000

/** The provider's keys. They are read again after KEEP_MS, and for an unknown key id, at most once in ASK_AGAIN_MS. `seconds` is the timeout. */
export function providerKeys(address: URL, seconds: number): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(address, {
    [customFetch]: (url, options) => providerFetch(url, options),
    timeoutDuration: seconds * 1_000,
    cacheMaxAge: KEEP_MS,
    // jose's own cooldown is off, because it would also delay the first read for an unknown key id.
    cooldownDuration: Infinity,
  })
  let askedAgainAt = -Infinity
  const load = () =>
    keys.reload().catch((cause: unknown) => {
      throw providerErrorIn(cause) ?? new ProviderInvalidError("the provider's keys cannot be read", { cause })
    })
  return async (header, token) => {
    if (!keys.fresh) await load()
    try {
      return await keys(header, token)
    } catch (error) {
      const now = performance.now()
      if (!(error instanceof errors.JWKSNoMatchingKey) || now < askedAgainAt + ASK_AGAIN_MS) throw error
      askedAgainAt = now
      await load()
      return keys(header, token)
    }
  }
}
