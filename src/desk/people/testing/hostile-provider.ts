/** An identity provider over real HTTP that signs everybody in at once, and gives any wrong answer that a test asks for. */
import { createHash, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { exportJWK, exportSPKI, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose"
import { onTestFinished } from "vitest"

type Answer = { status?: number; headers?: Record<string, string>; body: unknown }
type Endpoint = "metadata" | "keys" | "token" | "userinfo"
type KeyPair = {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  readonly jwk: JWK
}

const METADATA_PATH = "/.well-known/openid-configuration"
export const CLIENT_ID = "workdesk"
export const CLIENT_SECRET = "canary-client-secret-5f1c"

export class HostileProvider {
  readonly issuer: string
  /** The number of requests to each endpoint. */
  readonly asked: Record<Endpoint | "authorize", number> = { metadata: 0, keys: 0, token: 0, userinfo: 0, authorize: 0 }
  /** All tokens and codes that the provider has issued. A test checks that none of them appears elsewhere. */
  readonly secrets: string[] = []
  keys: KeyPair[]

  /** The claims of the next ID token, besides the required ones. */
  claims: JWTPayload = { sub: "ada", name: "Ada Lovelace", groups: ["finance"] }
  /** Changes all claims of the ID token. */
  lie: (claims: JWTPayload) => JWTPayload = (claims) => claims
  /** Makes the ID token from its claims. */
  sign: (claims: JWTPayload) => Promise<string> | string = (claims) => this.signWith(claims)
  /** Replaces the answer of an endpoint. `hang`: no answer. `drip`: an answer that never ends. `cut`: the connection closes. */
  answer: (endpoint: Endpoint, answer: Answer) => Answer | "hang" | "drip" | "cut" = (_, answer) => answer
  /** Changes the query of the redirect back to the desk. */
  redirect: (query: URLSearchParams) => void = () => undefined
  userInfo: Record<string, unknown> = {}
  /** Whether a code works more than once. */
  keepsCodes = false
  /** Where the client must send its secret. Undefined: a public client. */
  secretIn: "header" | "body" | undefined

  /** What the metadata say about where the secret may stand. */
  secretMethods: readonly string[] | undefined

  readonly #codes = new Map<string, { nonce: string; challenge: string; redirectUri: string }>()

  private constructor(issuer: string, key: KeyPair) {
    this.issuer = issuer
    this.keys = [key]
  }

  /** Listens on a loopback port until the test is over. Port 0 takes a free port. */
  static async start(port = 0): Promise<HostileProvider> {
    let provider: HostileProvider | undefined
    const server = createServer((request, response) => void provider?.handle(request, response))
    const { promise, resolve } = Promise.withResolvers<void>()
    server.listen(port, "127.0.0.1", resolve)
    await promise
    const address = server.address()
    const given = typeof address === "object" && address !== null ? address.port : 0
    provider = new HostileProvider(`http://127.0.0.1:${given}`, await firstKey)
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    return provider
  }

  /** Signs with new keys from now on, and forgets the old ones. */
  async rotate(): Promise<void> {
    this.keys = [await newKey()]
  }

  async signWith(claims: JWTPayload, header: Record<string, string> = {}, key = this.keys[0]): Promise<string> {
    if (key === undefined) throw new Error("no key")
    return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: key.kid, ...header }).sign(key.privateKey)
  }

  /** A logout token of this provider. `claims` change its claims, and `header` its header. */
  logoutToken(claims: JWTPayload, header: Record<string, string> = { typ: "logout+jwt" }): Promise<string> {
    const now = Math.floor(Date.now() / 1_000)
    const standard = {
      iss: this.issuer,
      aud: CLIENT_ID,
      iat: now,
      exp: now + 120,
      jti: randomUUID(),
      events: { "http://schemas.openid.net/event/backchannel-logout": {} },
    }
    return this.signWith({ ...standard, ...claims }, header)
  }

  /** The text of the public key. An attacker could use it as a shared secret (HS256). */
  async publicKeyText(): Promise<string> {
    const [key] = this.keys
    return key === undefined ? "" : exportSPKI(key.publicKey)
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.issuer)
    if (url.pathname === "/authorize") return this.#authorize(url, response)
    // An issuer may have a path: its metadata stand below it.
    const path = url.pathname.endsWith(METADATA_PATH) ? METADATA_PATH : url.pathname
    const { endpoint, answer } = await this.#standard(path, request)
    if (endpoint === undefined) return void response.writeHead(404).end()
    this.asked[endpoint]++
    const given = this.answer(endpoint, answer)
    if (given === "hang") return
    if (given === "cut") return void request.socket.destroy()
    if (given === "drip") return drip(response)
    const { status = 200, headers, body } = given
    response.writeHead(status, { "Content-Type": "application/json", ...headers })
    response.end(typeof body === "string" ? body : JSON.stringify(body))
  }

  #authorize(url: URL, response: ServerResponse): void {
    this.asked.authorize++
    const code = randomUUID()
    this.secrets.push(code)
    const asked = (name: string) => url.searchParams.get(name) ?? ""
    this.#codes.set(code, {
      nonce: asked("nonce"),
      challenge: asked("code_challenge"),
      redirectUri: asked("redirect_uri"),
    })
    const query = new URLSearchParams({ code, state: asked("state"), iss: this.issuer })
    this.redirect(query)
    response.writeHead(302, { Location: `${asked("redirect_uri")}?${query.toString()}` }).end()
  }

  async #standard(path: string, request: IncomingMessage): Promise<{ endpoint?: Endpoint; answer: Answer }> {
    const { issuer } = this
    switch (path) {
      case METADATA_PATH:
        return {
          endpoint: "metadata",
          answer: { body: { ...metadataOf(issuer), token_endpoint_auth_methods_supported: this.secretMethods } },
        }
      case "/keys":
        return { endpoint: "keys", answer: { body: { keys: this.keys.map(({ jwk }) => jwk) } } }
      case "/userinfo":
        return { endpoint: "userinfo", answer: { body: { sub: this.claims.sub, ...this.userInfo } } }
      case "/token":
        return { endpoint: "token", answer: await this.#token(request) }
      default:
        return { answer: { body: "" } }
    }
  }

  async #token(request: IncomingMessage): Promise<Answer> {
    let text = ""
    for await (const chunk of request) text += String(chunk)
    const form = new URLSearchParams(text)
    if (!this.#isClient(request, form)) {
      const headers: Record<string, string> =
        this.secretIn === "body" ? {} : { "WWW-Authenticate": 'Basic realm="provider"' }
      return { status: 401, headers, body: { error: "invalid_client" } }
    }
    const code = form.get("code") ?? ""
    const known = this.#codes.get(code)
    if (!this.keepsCodes) this.#codes.delete(code)
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url")
    if (known?.challenge !== challenge || known.redirectUri !== form.get("redirect_uri")) {
      return { status: 400, body: { error: "invalid_grant" } }
    }
    const now = Math.floor(Date.now() / 1_000)
    const claims = { iss: this.issuer, aud: CLIENT_ID, iat: now, exp: now + 300, auth_time: now, nonce: known.nonce }
    const id_token = await this.sign(this.lie({ ...claims, ...this.claims }))
    const access_token = randomUUID()
    this.secrets.push(id_token, access_token)
    return { body: { access_token, token_type: "Bearer", expires_in: 300, id_token } }
  }

  #isClient(request: IncomingMessage, form: URLSearchParams): boolean {
    const [, basic = ""] = /^Basic (.*)$/.exec(request.headers.authorization ?? "") ?? []
    switch (this.secretIn) {
      case "header":
        return decodeURIComponent(Buffer.from(basic, "base64").toString()) === `${CLIENT_ID}:${CLIENT_SECRET}`
      case "body":
        return form.get("client_id") === CLIENT_ID && form.get("client_secret") === CLIENT_SECRET
      case undefined:
        return form.get("client_id") === CLIENT_ID
    }
  }
}

/** One space every 50 ms. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "application/json" })
  const timer = setInterval(() => response.write(" "), 50)
  response.on("close", () => clearInterval(timer))
}

const metadataOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  userinfo_endpoint: `${issuer}/userinfo`,
  end_session_endpoint: `${issuer}/end`,
  authorization_response_iss_parameter_supported: true,
  id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
})

/** All providers share the first key, because making an RSA key takes longer than most tests. */
const firstKey = newKey()

async function newKey(): Promise<KeyPair> {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true })
  const kid = randomUUID()
  return { kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "RS256", use: "sig" } }
}
