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

type CheckedPart = "answer" | "token response" | "ID token"

/** Exchanges the code of `answer`, and checks the ID token. @throws SignInRefusedError, ProviderAwayError, ProviderInvalidError */
export async function exchangeCode(
  configuration: Configuration,
  keys: JWTVerifyGetKey,
  answer: URL,
  challenge: Challenge,
): Promise<{ readonly idToken: IDToken; readonly accessToken: string }> {
  // The part of the exchange that is checked at the moment, because openid-client's errors do not say which part is wrong.
  let checked: CheckedPart = "answer"
  configuration[customFetch] = async (...request) => {
    checked = "token response"
    const response = await providerFetch(...request)
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => undefined)
    if (response.status === 200 && v.is(tokenResponse, body)) checked = "ID token"
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
    throw providerErrorIn(error) ?? explain(error, checked)
  }
}

function explain(error: unknown, checked: CheckedPart): Error {
  if (error instanceof AuthorizationResponseError) return new SignInRefusedError("provider_refused", error)
  if (checked === "answer") return new SignInRefusedError("answer_invalid", error)
  if (checked === "ID token") return new SignInRefusedError("id_token_refused", error)
  if (error instanceof WWWAuthenticateChallengeError) return new SignInRefusedError("client_refused", error)
  if (error instanceof ResponseBodyError && error.error === "invalid_client") {
    return new SignInRefusedError("client_refused", error)
  }
  if (error instanceof ResponseBodyError && error.error === "invalid_grant") {
    return new SignInRefusedError("code_refused", error)
  }
  return new ProviderInvalidError("the token response is not valid", { cause: error })
}
