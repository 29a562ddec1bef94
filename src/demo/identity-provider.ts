/**
 * The identity provider of the demonstration and of tests: a certified library on a loopback port, and a page with a button for each
 * person. It asks for no password, so nothing else may use it.
 */
import { generateKeyPairSync, randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import type { Configuration, Provider } from "oidc-provider"
import { listen } from "../platform/http/listen.ts"

type DemoPerson = {
  readonly subject: string
  readonly name: string
  readonly email: string
  readonly groups: readonly string[]
  /** The text of the button after the name. */
  readonly does: string
}

export const demoPeople: readonly DemoPerson[] = [
  { subject: "ada", name: "Ada Lovelace", email: "ada@example.com", groups: ["finance"], does: "approves" },
  { subject: "ben", name: "Ben Okafor", email: "ben@example.com", groups: ["ops"], does: "delegates and answers" },
  { subject: "cleo", name: "Cleo Martin", email: "cleo@example.com", groups: ["staff"], does: "reads" },
  { subject: "dora", name: "Dora Lind", email: "dora@example.com", groups: ["audit"], does: "reads all Work" },
  { subject: "emil", name: "Emil Berg", email: "emil@example.com", groups: ["finance"], does: "approves" },
]

const findPerson = (subject: string | null) => demoPeople.find((person) => person.subject === subject)

export type IdentityProvider = {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly stop: () => void
}

type IdentityProviderOptions = {
  /** The address of the desk that people sign in to. */
  readonly publicUrl: string
  /** 0 takes any free port. */
  readonly port: number
  /** Called with each token that is issued. A test looks for these tokens where none may be. */
  readonly onToken?: (token: string) => void
}

const CLIENT_ID = "workdesk"
const HOUR_SECONDS = 3_600
/** The kinds of the provider's data that expire. */
const EXPIRING = ["AccessToken", "AuthorizationCode", "Grant", "IdToken", "Interaction", "Session"]

/** Starts the identity provider at `localhost`, another site than 127.0.0.1, as in production. @throws ConfigurationError when the port is taken */
export async function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const server = createServer()
  const variables = { host: "HOST", port: "PORT + 2, the port of the identity provider," }
  const issuer = `http://localhost:${await listen(server, { host: "127.0.0.1", port: options.port }, variables)}`
  const clientSecret = randomBytes(32).toString("base64url")
  const provider = await makeProvider(issuer, configurationOf(options.publicUrl, clientSecret))
  provider.on("grant.success", ({ body }) => tokensIn(body).forEach((token) => options.onToken?.(token)))
  const callback = provider.callback()
  server.on("request", (request, response) => {
    const isChoice = request.url?.startsWith("/choose/") === true
    void (isChoice ? choose(provider, request, response) : callback(request, response))
  })
  return {
    issuer,
    clientId: CLIENT_ID,
    clientSecret,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Silences console.warn: oidc-provider warns of each Node version that is no LTS, and of its store in memory, which is intended here. */
async function makeProvider(issuer: string, configuration: Configuration): Promise<Provider> {
  const { warn } = console
  console.warn = () => undefined
  try {
    const { Provider } = await import("oidc-provider")
    return new Provider(issuer, configuration)
  } finally {
    console.warn = warn
  }
}

function configurationOf(publicUrl: string, clientSecret: string): Configuration {
  const at = (path: string) => new URL(path, publicUrl).href
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: clientSecret,
        redirect_uris: [at("/desk/sign-in/callback")],
        post_logout_redirect_uris: [at("/")],
        backchannel_logout_uri: at("/desk/sign-out/back"),
        backchannel_logout_session_required: true,
        require_auth_time: true,
      },
    ],
    jwks: { keys: [newKey()] },
    cookies: { keys: [randomBytes(32).toString("base64url")] },
    scopes: ["openid"],
    claims: { openid: ["sub"], profile: ["name", "groups"], email: ["email", "email_verified"] },
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true, logoutSource },
    },
    interactions: { url: (_, { uid }) => `/choose/${uid}` },
    ttl: Object.fromEntries(EXPIRING.map((kind) => [kind, HOUR_SECONDS])),
    // The library's fetch refuses loopback addresses, where the desk is. The provider only fetches for back-channel logout.
    fetch: (input, { headers = {}, body = null, signal = null } = {}) =>
      fetch(input, { method: "POST", headers, body, signal }),
    findAccount: (_, subject) => {
      const person = findPerson(subject)
      if (person === undefined) return undefined
      const { name, email, groups } = person
      const claims = { sub: subject, name, email, email_verified: true, groups: [...groups] }
      return { accountId: subject, claims: () => claims }
    },
    // No page asks for consent, because the desk is the only client.
    async loadExistingGrant({ oidc }) {
      const { client, session } = oidc
      if (client === undefined || session?.accountId === undefined) return undefined
      const grant = new oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope("openid profile email")
      await grant.save()
      return grant
    },
  }
}

/** The tokens of a token response (RFC 6749, section 5.1). */
function tokensIn(response: unknown): readonly string[] {
  const entries = typeof response === "object" && response !== null ? Object.entries(response) : []
  return entries.flatMap(([name, value]) => (name.endsWith("_token") && typeof value === "string" ? [value] : []))
}

function newKey() {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  return { ...privateKey.export({ format: "jwk" }), alg: "RS256", use: "sig", kid: randomBytes(8).toString("hex") }
}

/** `GET /choose/UID` answers with the page of people. `POST /choose/UID` signs the chosen person in. */
async function choose(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    if (request.method !== "POST") return sendPage(response, "Who are you?", `<form method="post">${buttons}</form>`)
    const person = findPerson(new URLSearchParams(await text(request)).get("person"))
    if (person === undefined) return sendPage(response, "Nobody was chosen", "")
    const result = { login: { accountId: person.subject, remember: true } }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
  } catch {
    // The interaction is over, or belongs to another browser.
    if (!response.headersSent)
      sendPage(response, "This sign-in is no longer valid", "<p>Go back to the desk and sign in again.</p>")
  }
}

const buttons = demoPeople
  .map(({ subject, name, does }) => `<button name="person" value="${subject}"><b>${name}</b> ${does}</button>`)
  .join("")

/** The page asks before the provider signs a person out, because a link on any page could lead here. */
function logoutSource(ctx: { type: string; body: unknown }, form: string): void {
  ctx.type = "html"
  const buttons = '<button form="op.logoutForm" name="logout" value="yes">Sign out</button>'
  ctx.body = page("Sign out of the identity provider as well?", form + buttons)
}

function sendPage(response: ServerResponse, title: string, content: string): void {
  response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" })
  response.end(page(title, content))
}

const page = (title: string, content: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · Demonstration</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { max-width: 24rem; margin: 15vh auto; padding: 0 1rem }
  form { display: grid; gap: 0.75rem }
  button { font: inherit; padding: 0.75rem 1rem; text-align: start; cursor: pointer }
</style>
<h1>${title}</h1>
${content}
<p><small>The demonstration's identity provider. It asks for no password.</small></p>
</html>
`
