/** Reads and caches the keys with which the identity provider signs. */
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from "jose"
import { ProviderInvalidError } from "./provider-errors.ts"
import { providerFetch } from "./provider-fetch.ts"

/** The signature algorithms that the desk accepts: neither `none` nor an algorithm with a shared secret. */
export const SIGNATURES =
  "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519 ML-DSA-44 ML-DSA-65 ML-DSA-87".split(" ")

/** The codes of jose for an answer that is no key set. */
const NO_KEY_SET = [errors.JOSEError.code, errors.JWKSInvalid.code]

/** The provider's keys. They are read again after ten minutes, and for an unknown key id, at most once a minute. `seconds` is the timeout. */
export function providerKeys(address: URL, seconds: number): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(address, {
    [customFetch]: (url, options) => providerFetch(url, options),
    timeoutDuration: seconds * 1_000,
    cacheMaxAge: 600_000,
    cooldownDuration: 60_000,
  })
  return async (header, token) => {
    try {
      return await keys(header, token)
    } catch (cause) {
      const isUnreadable = cause instanceof errors.JOSEError && NO_KEY_SET.includes(cause.code)
      throw isUnreadable ? new ProviderInvalidError("the provider's keys can't be read", { cause }) : cause
    }
  }
}
