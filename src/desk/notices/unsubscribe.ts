/** The tokens of the links that switch a person's mail off. A token opens nothing else. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import type { Reader, Statements } from "../store/database.ts"

const LASTS_MS = 90 * 86_400_000

/** Reads the key that signs the tokens. The desk that starts first makes it. @throws StoreUnavailableError */
export async function readTokenKey({ read, write }: Statements): Promise<Buffer> {
  await write(
    "INSERT INTO notice_desk (id, token_key, looked_at) VALUES (1, ?, 0) ON CONFLICT (id) DO NOTHING",
    randomBytes(32).toString("base64url"),
  )
  const [row] = await read("SELECT token_key FROM notice_desk WHERE id = 1")
  return Buffer.from(String(row?.["token_key"]), "base64url")
}

/** A token for a person that lasts 90 days from `now`. */
export function makeToken(key: Buffer, personId: string, now: number): string {
  const claim = `${Buffer.from(personId).toString("base64url")}.${Math.floor((now + LASTS_MS) / 1_000)}`
  return `${claim}.${sign(key, claim)}`
}

/** The person that a token names. Undefined when it is forged, malformed or expired. */
export function readToken(key: Buffer, token: string, now: number): string | undefined {
  const [, claim = "", person = "", expires = "", signature = ""] =
    /^(([A-Za-z0-9_-]{1,200})\.(\d{1,12}))\.([A-Za-z0-9_-]{43})$/.exec(token) ?? []
  if (claim === "" || !timingSafeEqual(Buffer.from(sign(key, claim)), Buffer.from(signature))) return undefined
  return Number(expires) * 1_000 > now ? Buffer.from(person, "base64url").toString() : undefined
}

/** The purpose is signed too, so that no other use of the key could make a token. */
const sign = (key: Buffer, claim: string) =>
  createHmac("sha256", key).update(`unsubscribe ${claim}`).digest("base64url")

/** Whether a person has ever signed in at this desk. @throws StoreUnavailableError */
export async function isPerson({ read }: Reader, personId: string): Promise<boolean> {
  return (await read("SELECT id FROM person WHERE id = ?", personId)).length === 1
}
