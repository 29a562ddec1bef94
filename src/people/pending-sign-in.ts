import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import * as v from "valibot"
import type { Database } from "./store/database.ts"

/** What the desk must remember between a person's leaving for the provider and their coming back. */
export type UnderWay = v.InferOutput<typeof underWay>

const underWay = v.object({
  verifier: v.string(),
  nonce: v.string(),
  again: v.boolean(),
  beganAt: v.number(),
  returnTo: v.string(),
})

/** A person has ten minutes at the provider. */
export const UNDER_WAY_SECONDS = 600

const CIPHER = "aes-256-gcm"
const IV_BYTES = 12
const TAG_BYTES = 16

/** Keeps a sign-in under way. Only the browser whose cookie holds `secret` can open what is kept. */
export async function keepSignIn(database: Database, id: string, secret: string, kept: UnderWay): Promise<void> {
  await database.write(
    "INSERT INTO sign_in (id, sealed, expires_at) VALUES (?, ?, ?)",
    id,
    seal(id, secret, JSON.stringify(kept)),
    kept.beganAt + UNDER_WAY_SECONDS * 1_000,
  )
}

/** Opens a sign-in that was kept, is not over, and was begun by the browser that holds `secret`. */
export async function openSignIn(
  database: Database,
  id: string,
  secret: string | undefined,
): Promise<UnderWay | "unknown" | "other browser"> {
  const [row] = await database.read("SELECT sealed FROM sign_in WHERE id = ? AND expires_at > ?", id, Date.now())
  if (row === undefined) return "unknown"
  const text = secret === undefined ? undefined : unseal(id, secret, String(row["sealed"]))
  return text === undefined ? "other browser" : v.parse(underWay, JSON.parse(text))
}

/** Takes a sign-in out of the store, so that it works once. @returns false where somebody else has taken it */
export async function takeSignIn(database: Database, id: string): Promise<boolean> {
  return (await database.write("DELETE FROM sign_in WHERE id = ? RETURNING id", id)).length === 1
}

function keyOf(id: string, secret: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, id, "workdesk sign-in", 32))
}

function seal(id: string, secret: string, text: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, keyOf(id, secret), iv)
  const sealed = [cipher.update(text, "utf8"), cipher.final()]
  return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString("base64url")
}

function unseal(id: string, secret: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, "base64url")
  const decipher = createDecipheriv(CIPHER, keyOf(id, secret), bytes.subarray(0, IV_BYTES))
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  try {
    return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8")
  } catch {
    return undefined
  }
}
