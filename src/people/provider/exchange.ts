import { compactVerify, type JWTVerifyGetKey } from "jose"
import {
  authorizationCodeGrant,
  AuthorizationResponseError,
  type Configuration,
  customFetch,
  type IDToken,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "openid-client"
import * as v from "valibot"
import { providerErrorIn, ProviderInvalidError, SignInRefusedError } from "./provider-errors.ts"
import { providerFetch } from "./provider-fetch.ts"
import { SIGNATURES } from "./provider-keys.ts"

/** What the desk keeps of one sign-in, to check the provider's answer against. */
export type Challenge = {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** The provider must authenticate the person anew. */
  readonly again: boolean
  /** When the sign-in began, in milliseconds. */
  readonly beganAt: number
}

/** RFC 6749, 5.1, with OpenID Connect's ID token. */
const tokenResponse = v.object({ access_token: v.string(), token_type: v.string(), id_token: v.string() })

/**
 * Exchanges the code of the provider's answer for an ID token, whose claims and signature are checked.
 * @throws SignInRefusedError, ProviderAwayError, ProviderInvalidError
 */
export async function exchangeCode(
  configuration: Configuration,
  keys: JWTVerifyGetKey,
  answer: URL,
  challenge: Challenge,
): Promise<{ readonly idToken: IDToken; readonly accessToken: string }> {
  // openid-client's errors do not say which of the three they are about.
  let looksAt: "answer" | "token response" | "ID token" = "answer"
  configuration[customFetch] = async (...request) => {
    looksAt = "token response"
    const response = await providerFetch(...request)
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => undefined)
    if (response.status === 200 && v.is(tokenResponse, body)) looksAt = "ID token"
    return response
  }
  try {
    const tokens = await authorizationCodeGrant(configuration, answer, {
      expectedState: challenge.state,
      expectedNonce: challenge.nonce,
      pkceCodeVerifier: challenge.verifier,
    })
    const idToken = tokens.claims()
    if (idToken === undefined || tokens.id_token === undefined) throw new Error("the nonce demands an ID token")
    await compactVerify(tokens.id_token, keys, { algorithms: SIGNATURES })
    return { idToken, accessToken: tokens.access_token }
  } catch (error) {
    throw providerErrorIn(error) ?? explain(error, looksAt)
  }
}

function explain(error: unknown, looksAt: "answer" | "token response" | "ID token"): Error {
  if (error instanceof AuthorizationResponseError) return new SignInRefusedError("provider_refused", error)
  if (looksAt === "answer") return new SignInRefusedError("answer_invalid", error)
  if (looksAt === "ID token") return new SignInRefusedError("id_token_refused", error)
  if (error instanceof WWWAuthenticateChallengeError) return new SignInRefusedError("client_refused", error)
  if (error instanceof ResponseBodyError && error.error === "invalid_client") {
    return new SignInRefusedError("client_refused", error)
  }
  if (error instanceof ResponseBodyError && error.error === "invalid_grant") {
    return new SignInRefusedError("code_refused", error)
  }
  return new ProviderInvalidError("the token response is not valid", { cause: error })
}
