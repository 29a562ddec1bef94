/** START HERE for the identity provider: what the desk asks it with OpenID Connect, by openid-client and jose. */
import type { JWTVerifyGetKey } from "jose"
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
import { isProtected } from "../../contract/configuration.ts"
import { type Challenge, exchangeCode } from "./exchange.ts"
import { providerErrorIn, ProviderInvalidError, SignInRefusedError } from "./provider-errors.ts"
import { providerFetch } from "./provider-fetch.ts"
import { providerKeys } from "./provider-keys.ts"

export const PROVIDER_SECONDS = 8
/** How far the provider's clock may be from the desk's. */
export const CLOCK_TOLERANCE_SECONDS = 10
/** The provider's metadata are read again after an hour, and a minute after that failed. */
const METADATA_MS = 3_600_000
const METADATA_AGAIN_MS = 60_000

export type ProviderOptions = {
  readonly issuer: string
  readonly clientId: string
  /** The secret as it is now; undefined for a public client. */
  readonly clientSecret: () => string | undefined
  readonly scopes: string
  /** The longest that one answer of the provider is waited for, its body included. */
  readonly seconds: number
}

/** What the provider says about a person. */
export type Claims = { readonly idToken: IDToken; readonly userInfo: UserInfoResponse | undefined }

type Known = { readonly metadata: ServerMetadata; readonly keys: JWTVerifyGetKey }

export class Provider {
  readonly #options: ProviderOptions
  /** Plain http, which is for a provider on this machine alone. */
  readonly #isPlain: boolean
  #known: Known | undefined
  #freshUntil = -Infinity
  #finding: Promise<Known> | undefined
  /** How the provider took the secret last: in the Authorization header, as RFC 6749 prefers, or in the body. */
  #secretWay = ClientSecretBasic

  constructor(options: ProviderOptions) {
    this.#options = options
    this.#isPlain = new URL(options.issuer).protocol === "http:"
  }

  /**
   * Reads the provider's metadata, unless they are known.
   * @throws ProviderAwayError, ProviderInvalidError
   */
  async prepare(): Promise<void> {
    await this.#find()
  }

  /** The address where the person proves to the provider who they are. @throws ProviderAwayError, ProviderInvalidError */
  async authorizationUrl(challenge: Challenge, redirectUri: string): Promise<URL> {
    const { metadata } = await this.#find()
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
   * Exchanges the code of the provider's answer, which is the redirect address with its query, for what the provider says about the
   * person. The userinfo answer is asked for unless the ID token `isEnough`.
   * @throws SignInRefusedError, ProviderAwayError, ProviderInvalidError
   */
  async finish(answer: URL, challenge: Challenge, isEnough: (idToken: IDToken) => boolean): Promise<Claims> {
    const known = await this.#find()
    const { idToken, accessToken } = await this.#exchange(known, answer, challenge)
    checkSubject(idToken)
    checkAuthenticationTime(idToken, challenge)
    if (known.metadata.userinfo_endpoint === undefined || isEnough(idToken)) return { idToken, userInfo: undefined }
    const configuration = this.#configure(known.metadata)
    enableNonRepudiationChecks(configuration)
    try {
      return { idToken, userInfo: await fetchUserInfo(configuration, accessToken, idToken.sub) }
    } catch (error) {
      throw providerErrorIn(error) ?? new ProviderInvalidError("the userinfo answer is not valid", { cause: error })
    }
  }

  /** Where a browser ends the provider's own session. Undefined: the provider has no such address, or was never there. */
  endSessionUrl(returnTo: string): URL | undefined {
    const metadata = this.#known?.metadata
    if (metadata?.end_session_endpoint === undefined) return undefined
    return buildEndSessionUrl(this.#configure(metadata), { post_logout_redirect_uri: returnTo })
  }

  /** The provider's issuer and keys, for a logout token. @throws ProviderAwayError, ProviderInvalidError */
  async signer(): Promise<{ readonly issuer: string; readonly keys: JWTVerifyGetKey }> {
    const { metadata, keys } = await this.#find()
    return { issuer: metadata.issuer, keys }
  }

  /** A provider takes the secret in the header or in the body, and its metadata do not say which from this client: both are tried. */
  async #exchange({ metadata, keys }: Known, answer: URL, challenge: Challenge) {
    const secret = this.#options.clientSecret()
    if (secret === undefined) return exchangeCode(this.#configure(metadata), keys, answer, challenge)
    const send = (way: typeof ClientSecretBasic) =>
      exchangeCode(this.#configure(metadata, way(secret)), keys, answer, challenge)
    try {
      return await send(this.#secretWay)
    } catch (error) {
      if (!(error instanceof SignInRefusedError) || error.reason !== "client_refused") throw error
      const other = this.#secretWay === ClientSecretBasic ? ClientSecretPost : ClientSecretBasic
      const exchanged = await send(other)
      this.#secretWay = other
      return exchanged
    }
  }

  #configure(metadata: ServerMetadata, authentication: ClientAuth = None()): Configuration {
    const client = { [clockTolerance]: CLOCK_TOLERANCE_SECONDS }
    const configuration = new Configuration(metadata, this.#options.clientId, client, authentication)
    configuration.timeout = this.#options.seconds
    configuration[customFetch] = providerFetch
    if (this.#isPlain) allowInsecureRequests(configuration)
    return configuration
  }

  async #find(): Promise<Known> {
    if (this.#known !== undefined && performance.now() < this.#freshUntil) return this.#known
    this.#finding ??= this.#discover().finally(() => (this.#finding = undefined))
    return this.#finding
  }

  async #discover(): Promise<Known> {
    const before = this.#known
    try {
      const found = await discovery(new URL(this.#options.issuer), this.#options.clientId, undefined, None(), {
        timeout: this.#options.seconds,
        [customFetch]: providerFetch,
        execute: this.#isPlain ? [allowInsecureRequests] : [],
      })
      const metadata = found.serverMetadata()
      const address = checkMetadata(metadata, this.#isPlain)
      // The keys, and the time when they were asked for again, outlive the metadata.
      const keys =
        before !== undefined && before.metadata.jwks_uri === address.href
          ? before.keys
          : providerKeys(address, this.#options.seconds)
      this.#freshUntil = performance.now() + METADATA_MS
      return (this.#known = { metadata, keys })
    } catch (error) {
      if (before === undefined) {
        throw providerErrorIn(error) ?? new ProviderInvalidError("the metadata are not valid", { cause: error })
      }
      this.#freshUntil = performance.now() + METADATA_AGAIN_MS
      return before
    }
  }
}

/** OpenID Connect Core, 2: a subject has at most 255 ASCII characters. The store would keep two that differ in U+0000 as one. */
function checkSubject({ sub }: IDToken): void {
  if (!/^[\x20-\x7e]{1,255}$/.test(sub)) throw new SignInRefusedError("id_token_refused")
}

/**
 * Whether the person has authenticated as this sign-in asks. An authentication in the future is refused, because it would stay young for
 * a rule that asks for a new one.
 */
function checkAuthenticationTime({ auth_time }: IDToken, { again, beganAt }: Challenge): void {
  const latest = Date.now() / 1_000 + CLOCK_TOLERANCE_SECONDS
  if (auth_time !== undefined && auth_time > latest) throw new SignInRefusedError("id_token_refused")
  const earliest = beganAt / 1_000 - CLOCK_TOLERANCE_SECONDS
  if (again && (auth_time === undefined || auth_time < earliest)) throw new SignInRefusedError("not_authenticated_anew")
}

/** The metadata's addresses must be as protected as the issuer's own. @returns the address of the keys */
function checkMetadata(metadata: ServerMetadata, mayBePlain: boolean): URL {
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint, end_session_endpoint } = metadata
  const check = (address: string | undefined): URL => {
    const url = typeof address === "string" && URL.canParse(address) ? new URL(address) : undefined
    const isGood = url !== undefined && (url.protocol === "https:" || (mayBePlain && isProtected(url)))
    if (!isGood) throw new ProviderInvalidError("the metadata lack an address, or have one that is not https")
    return url
  }
  for (const needed of [authorization_endpoint, token_endpoint]) check(needed)
  for (const optional of [userinfo_endpoint, end_session_endpoint]) if (optional !== undefined) check(optional)
  return check(jwks_uri)
}
