/** The cookies of sessions and sign-ins, and the secrets in them. */
import { hash, randomBytes } from "node:crypto"

/** Makes 256 random bits in base64url, for the value of a cookie or a state. */
export const newSecret = (): string => randomBytes(32).toString("base64url")

/** The SHA-256 of a secret in base64url. The store keeps the hash and never the secret. */
export const hashSecret = (secret: string): string => hash("sha256", secret, "base64url")

const SECRET = /^[\w-]{43}$/

/** Whether a text has the form that `newSecret` gives. */
export const isSecret = (text: string): boolean => SECRET.test(text)

/** A cookie's value. Undefined without the form of `newSecret`, and when the cookie comes twice: another host can set a second cookie. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  let found: string | undefined
  for (const pair of header.split(";")) {
    const separator = pair.indexOf("=")
    if (separator === -1 || pair.slice(0, separator).trim() !== name) continue
    if (found !== undefined) return undefined
    found = pair.slice(separator + 1).trim()
  }
  return found !== undefined && isSecret(found) ? found : undefined
}

/** The longest time that browsers keep a cookie (RFC 6265bis, 5.5). */
const PUSH_SECONDS = 400 * 86_400

/** The names of the desk's cookies, and the values of Set-Cookie headers. */
export type Cookies = ReturnType<typeof cookiesOf>

/** With https, `__Host-` keeps other hosts from setting the cookies (RFC 6265bis). With http, the name has the port: cookies ignore ports. */
export function cookiesOf(publicUrl: URL) {
  const isSecure = publicUrl.protocol === "https:"
  const session = isSecure ? "__Host-workdesk" : `workdesk-${publicUrl.port || "80"}`
  // Each sign-in has its own cookie, so that two tabs can sign in.
  const signIn = (id: string) => `${session}-sign-in-${id.slice(0, 12)}`
  const common = `; Path=/; HttpOnly${isSecure ? "; Secure" : ""}`
  // The provider's redirect comes from another site, and a browser sends no Strict cookie with it.
  const lax = `${common}; SameSite=Lax`
  const strict = `${common}; SameSite=Strict`
  const push = `${session}-push`
  return {
    session,
    signIn,
    push,
    // Names the browser beyond its session. Lax, because the desk looks for it when the provider sends the browser back.
    setPush: (value: string) => `${push}=${value}; Max-Age=${PUSH_SECONDS}${lax}`,
    setSession: (value: string) => `${session}=${value}${strict}`,
    clearSession: () => `${session}=; Max-Age=0${strict}`,
    setSignIn: (id: string, value: string, seconds: number) => `${signIn(id)}=${value}; Max-Age=${seconds}${lax}`,
    clearSignIn: (id: string) => `${signIn(id)}=; Max-Age=0${lax}`,
  }
}
