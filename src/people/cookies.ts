import { hash, randomBytes } from "node:crypto"

/** 256 random bits, as a cookie's value or a state. */
export const newSecret = (): string => randomBytes(32).toString("base64url")

/** The SHA-256 of a secret: what the store keeps of it. */
export const hashSecret = (secret: string): string => hash("sha256", secret, "base64url")

const SECRET = /^[\w-]{43}$/

/** Whether a text has the form of our secrets. */
export const isSecret = (text: string): boolean => SECRET.test(text)

/**
 * The value of a cookie that has the form of our secrets. A name that comes twice has no value: a page on another port or subdomain can
 * plant a second cookie, and which of the two is the person's own cannot be known.
 */
export function readSecret(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  let found: string | undefined
  for (const pair of header.split(";")) {
    const mark = pair.indexOf("=")
    if (mark === -1 || pair.slice(0, mark).trim() !== name) continue
    if (found !== undefined) return undefined
    found = pair.slice(mark + 1).trim()
  }
  return found !== undefined && isSecret(found) ? found : undefined
}

export type Cookies = {
  /** The name of the session's cookie. */
  readonly session: string
  /** The name of the cookie that binds a sign-in under way to the browser: each sign-in has its own, so that two tabs can sign in. */
  signIn(id: string): string
  setSession(value: string): string
  clearSession(): string
  setSignIn(id: string, value: string, seconds: number): string
  clearSignIn(id: string): string
}

/**
 * The cookies of a desk at `publicUrl`. With https no other host can set them (`__Host-`, RFC 6265bis). Cookies ignore ports, so a desk
 * at http has its port in the name.
 */
export function cookiesOf(publicUrl: URL): Cookies {
  const isSecure = publicUrl.protocol === "https:"
  const session = isSecure ? "__Host-workdesk" : `workdesk-${publicUrl.port || "80"}`
  const signIn = (id: string) => `${session}-sign-in-${id.slice(0, 12)}`
  const common = `; Path=/; HttpOnly${isSecure ? "; Secure" : ""}`
  // The provider's redirect comes from another site: a Strict cookie would not come with it.
  const lax = `${common}; SameSite=Lax`
  const strict = `${common}; SameSite=Strict`
  return {
    session,
    signIn,
    setSession: (value) => `${session}=${value}${strict}`,
    clearSession: () => `${session}=; Max-Age=0${strict}`,
    setSignIn: (id, value, seconds) => `${signIn(id)}=${value}; Max-Age=${seconds}${lax}`,
    clearSignIn: (id) => `${signIn(id)}=; Max-Age=0${lax}`,
  }
}
