/** Exchanges the code of a sign-in for the person's identity. */
import { compactVerify, type JWTVerifyGetKey } from "jose"
import { authorizationCodeGrant, type Configuration, customFetch, type IDToken, ResponseBodyError } from "openid-client"
import * as v from "valibot"
import { providerErrorIn, ProviderInvalidError, SignInRefusedError } from "./provider-errors.ts"
import { providerFetch } from "./provider-fetch.ts"
import { SIGNATURES } from "./provider-keys.ts"

/** The values of one sign-in that the provider's answer must match. */
export type Challenge = {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** The provider must authenticate the person anew. */
  readonly again: boolean
  /** When the sign-in began, in milliseconds since 1970. */
  readonly beganAt: number
}

/** A token response (RFC 6749, 5.1) with OpenID Connect's ID token. */
const tokenResponse = v.object({ access_token: v.string(), token_type: v.string(), id_token: v.string() })

/** Exchanges the code of `answer`, and checks the ID token. @throws SignInRefusedError, ProviderAwayError, ProviderInvalidError */
export async function exchangeCode(
  configuration: Configuration,
  keys: JWTVerifyGetKey,
  answer: URL,
  challenge: Challenge,
): Promise<{ readonly idToken: IDToken; readonly accessToken: string }> {
  // openid-client's errors do not say whether the token response or what it holds is wrong.
  let isResponseValid = true
  configuration[customFetch] = async (...request) => {
    const response = await providerFetch(...request)
    const read = async (): Promise<unknown> => response.clone().json()
    isResponseValid = response.status === 200 && v.is(tokenResponse, await read().catch(() => undefined))
    return response
  }
  try {
    const tokens = await authorizationCodeGrant(configuration, answer, {
      expectedState: challenge.state,
      expectedNonce: challenge.nonce,
      pkceCodeVerifier: challenge.verifier,
    })
    const idToken = tokens.claims()
    if (idToken === undefined || tokens.id_token === undefined) throw new Error("the ID token is missing")
    await compactVerify(tokens.id_token, keys, { algorithms: SIGNATURES })
    return { idToken, accessToken: tokens.access_token }
  } catch (error) {
    const isCodeRefused = error instanceof ResponseBodyError && error.error === "invalid_grant"
    if (isResponseValid || isCodeRefused) throw providerErrorIn(error) ?? new SignInRefusedError("refused", error)
    throw providerErrorIn(error) ?? new ProviderInvalidError("the token response is invalid", { cause: error })
  }
}
