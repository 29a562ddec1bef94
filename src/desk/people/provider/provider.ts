/** START HERE for the identity provider: the desk's requests to the provider in OpenID Connect, with openid-client and jose. */
import type { JWTVerifyGetKey } from "jose"
import * as v from "valibot"
import {
  allowInsecureRequests,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type IDToken,
  None,
  type ServerMetadata,
  type UserInfoResponse,
} from "openid-client"
import { isProtected } from "../../../platform/protected-url.ts"
import { isSameIssuer } from "../directory.ts"
import { type Challenge, exchangeCode } from "./exchange-code.ts"
import { providerErrorIn, ProviderInvalidError, SignInRefusedError } from "./provider-errors.ts"
import { providerFetch } from "./provider-fetch.ts"
import { providerKeys } from "./provider-keys.ts"

/** How long the desk waits for one answer of the provider. */
export const PROVIDER_SECONDS = 8
/** How much the provider's clock may differ from the desk's. */
export const CLOCK_TOLERANCE_SECONDS = 10
/** The provider's metadata are read again after an hour. When that fails, they are read again after a minute. */
const METADATA_MS = 3_600_000
const METADATA_RETRY_MS = 60_000

/** In the Authorization header, or in the form of the body. */
export type SecretPlace = "header" | "body"

export type ProviderOptions = {
  readonly issuer: string
  readonly clientId: string
  /** Returns the current secret. Undefined: a public client. */
  readonly clientSecret: (() => string) | undefined
  /** Where the secret stands in a request. Undefined: where the provider's metadata say. */
  readonly secretIn: SecretPlace | undefined
  readonly scopes: string
  /** The timeout of one answer of the provider, body included. */
  readonly seconds: number
}

export type Claims = { readonly idToken: IDToken; readonly userInfo: UserInfoResponse | undefined }

type Discovered = { readonly metadata: ServerMetadata; readonly keys: JWTVerifyGetKey }

export class Provider {
  readonly #options: ProviderOptions
  /** Whether the provider is on this machine and speaks plain http. */
  readonly #isPlainHttp: boolean
  #discovered: Discovered | undefined
  #freshUntil = -Infinity
  #discovering: Promise<Discovered> | undefined

  constructor(options: ProviderOptions) {
    this.#options = options
    this.#isPlainHttp = new URL(options.issuer).protocol === "http:"
  }

  /** The provider's address where the person signs in. @throws ProviderAwayError, ProviderInvalidError */
  async authorizationUrl(challenge: Challenge, redirectUri: string): Promise<URL> {
    const { metadata } = await this.discovered()
    return buildAuthorizationUrl(this.#configure(metadata), {
      redirect_uri: redirectUri,
      scope: this.#options.scopes,
      state: challenge.state,
      nonce: challenge.nonce,
      code_challenge: await calculatePKCECodeChallenge(challenge.verifier),
      code_challenge_method: "S256",
      ...(challenge.again ? { prompt: "login", max_age: "0" } : {}),
    })
  }

  /**
   * Exchanges the code of the provider's answer for the claims about the person. `answer` is the callback's address with its query. Also
   * reads the userinfo answer, unless `isEnough` accepts the ID token.
   * @throws SignInRefusedError, ProviderAwayError, ProviderInvalidError
   */
  async finish(answer: URL, challenge: Challenge, isEnough: (idToken: IDToken) => boolean): Promise<Claims> {
    const { metadata, keys } = await this.discovered()
    const configured = this.#configure(metadata, this.#authentication(metadata))
    const { idToken, accessToken } = await exchangeCode(configured, keys, answer, challenge)
    checkSubject(idToken)
    checkAuthenticationTime(idToken, challenge)
    if (metadata.userinfo_endpoint === undefined || isEnough(idToken)) return { idToken, userInfo: undefined }
    // This verifies a signed userinfo answer. In `configured`, it would also verify the ID token, which `exchangeCode` does with the kept `keys`.
    const configuration = this.#configure(metadata)
    enableNonRepudiationChecks(configuration)
    try {
      return { idToken, userInfo: await fetchUserInfo(configuration, accessToken, idToken.sub) }
    } catch (error) {
      throw providerErrorIn(error) ?? new ProviderInvalidError("the userinfo response is invalid", { cause: error })
    }
  }

  /** The address where a browser ends the provider's own session. Undefined when the provider has none, or has not answered yet. */
  endSessionUrl(returnTo: string): URL | undefined {
    const metadata = this.#discovered?.metadata
    if (metadata?.end_session_endpoint === undefined) return undefined
    return buildEndSessionUrl(this.#configure(metadata), { post_logout_redirect_uri: returnTo })
  }

  /** What the desk has read of the provider, or reads now. @throws ProviderAwayError, ProviderInvalidError */
  async discovered(): Promise<Discovered> {
    if (this.#discovered !== undefined && performance.now() < this.#freshUntil) return this.#discovered
    this.#discovering ??= this.#discover().finally(() => (this.#discovering = undefined))
    return this.#discovering
  }

  /**
   * How the desk authenticates when it exchanges a code. If the metadata don't list the methods, the secret goes into the header (OpenID Connect
   * Discovery, 3).
   */
  #authentication({ token_endpoint_auth_methods_supported: methods }: ServerMetadata) {
    const { clientSecret, secretIn } = this.#options
    const secret = clientSecret?.()
    if (secret === undefined) return None()
    const isHeaderSupported = methods === undefined || methods.includes("client_secret_basic")
    const place = secretIn ?? (isHeaderSupported ? "header" : "body")
    return place === "header" ? ClientSecretBasic(secret) : ClientSecretPost(secret)
  }

  #configure(metadata: ServerMetadata, authentication: ClientAuth = None()): Configuration {
    const client = { [clockTolerance]: CLOCK_TOLERANCE_SECONDS }
    const configuration = new Configuration(metadata, this.#options.clientId, client, authentication)
    configuration.timeout = this.#options.seconds
    configuration[customFetch] = providerFetch
    if (this.#isPlainHttp) allowInsecureRequests(configuration)
    return configuration
  }

  async #discover(): Promise<Discovered> {
    const before = this.#discovered
    try {
      const found = await discovery(new URL(this.#options.issuer), this.#options.clientId, undefined, None(), {
        timeout: this.#options.seconds,
        [customFetch]: providerFetch,
        execute: this.#isPlainHttp ? [allowInsecureRequests] : [],
      })
      const metadata = found.serverMetadata()
      if (!isSameIssuer(metadata.issuer, this.#options.issuer))
        throw new ProviderInvalidError("the metadata is from another issuer")
      const address = checkMetadata(metadata, this.#isPlainHttp)
      // The object of the keys remembers when it read them, so a new one could read again for an unknown key id within the minute.
      const keys =
        before !== undefined && before.metadata.jwks_uri === address.href
          ? before.keys
          : providerKeys(address, this.#options.seconds)
      this.#freshUntil = performance.now() + METADATA_MS
      return (this.#discovered = { metadata, keys })
    } catch (error) {
      if (before === undefined) {
        const fault = issuerFault(error, this.#options.issuer) ?? "the metadata is invalid"
        throw providerErrorIn(error) ?? new ProviderInvalidError(fault, { cause: error })
      }
      this.#freshUntil = performance.now() + METADATA_RETRY_MS
      return before
    }
  }
}

/** What openid-client gives as the cause of an error when the metadata name another issuer than the configured one. */
const otherIssuer = v.object({ attribute: v.literal("issuer"), body: v.object({ issuer: v.string() }) })

/** How the provider's own issuer differs from OIDC_ISSUER, without either address. Undefined when the error has another reason. */
function issuerFault(error: unknown, configured: string): string | undefined {
  const cause = error instanceof Error ? v.safeParse(otherIssuer, error.cause) : undefined
  if (cause?.success !== true) return undefined
  const { issuer } = cause.output.body
  if (issuer === `${configured}/`)
    return "the provider's issuer ends with a slash, but OIDC_ISSUER doesn't: add the slash to OIDC_ISSUER"
  if (`${issuer}/` === configured)
    return "OIDC_ISSUER ends with a slash, but the provider's issuer doesn't: remove the slash from OIDC_ISSUER"
  return "OIDC_ISSUER is not the issuer in the provider's metadata"
}

/** A subject has at most 255 ASCII characters (OpenID Connect Core, 2), and no U+0000, which `storable` replaces: two subjects could become one. */
function checkSubject({ sub }: IDToken): void {
  if (!/^[\x20-\x7e]{1,255}$/.test(sub)) throw new SignInRefusedError("refused")
}

/**
 * With `again`: checks that the person authenticated after this sign-in began. Always: not in the future, because such a time would stay within
 * the maximum age for too long.
 */
function checkAuthenticationTime({ auth_time }: IDToken, { again, beganAt }: Challenge): void {
  const latest = Date.now() / 1_000 + CLOCK_TOLERANCE_SECONDS
  if (auth_time !== undefined && auth_time > latest) throw new SignInRefusedError("refused")
  const earliest = beganAt / 1_000 - CLOCK_TOLERANCE_SECONDS
  if (again && (auth_time === undefined || auth_time < earliest)) throw new SignInRefusedError("refused")
}

/** Checks that the metadata's addresses are https, or plain http on this machine when the issuer is. @returns the address of the keys */
function checkMetadata(metadata: ServerMetadata, mayBePlainHttp: boolean): URL {
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint, end_session_endpoint } = metadata
  const check = (address: string | undefined): URL => {
    const url = typeof address === "string" && URL.canParse(address) ? new URL(address) : undefined
    const isGood = url !== undefined && (url.protocol === "https:" || (mayBePlainHttp && isProtected(url)))
    if (!isGood) throw new ProviderInvalidError("an address in the metadata is missing, or isn't https")
    return url
  }
  for (const needed of [authorization_endpoint, token_endpoint]) check(needed)
  for (const optional of [userinfo_endpoint, end_session_endpoint]) if (optional !== undefined) check(optional)
  return check(jwks_uri)
}
