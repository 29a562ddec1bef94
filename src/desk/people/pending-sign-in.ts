/** Stores a sign-in while the person is at the provider. Only the browser that began the sign-in can open what is stored. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import * as v from "valibot"
import type { Database } from "../store/database.ts"

/** What the desk needs when the person comes back from the provider. */
export type PendingSignIn = v.InferOutput<typeof pendingSignIn>

const pendingSignIn = v.object({
  verifier: v.string(),
  nonce: v.string(),
  again: v.boolean(),
  beganAt: v.number(),
  returnTo: v.string(),
  /** The id of the browser's older session. */
  olderId: v.exactOptional(v.string()),
})

/** How long a person may stay at the provider. */
export const PENDING_SECONDS = 600

const CIPHER = "aes-256-gcm"
const IV_BYTES = 12
const TAG_BYTES = 16

/** How many sign-ins may be under way. Anybody may begin a sign-in, so one more removes the oldest. */
export const PENDING_MAX = 1_000

/** Stores a pending sign-in under `id`, the hash of its state. `secret` is the value of the browser's cookie, which encrypts the row. */
export async function storePendingSignIn(
  database: Database,
  id: string,
  secret: string,
  pending: PendingSignIn,
): Promise<void> {
  const sealed = seal(id, secret, JSON.stringify(pending))
  const expiresAt = pending.beganAt + PENDING_SECONDS * 1_000
  // Anybody may begin a sign-in, so the lock `sign-ins` does not wait for the disk.
  await database.transaction("sign-ins", async ({ write }) => {
    await write("INSERT INTO sign_in (id, sealed, expires_at) VALUES (?, ?, ?)", id, sealed, expiresAt)
    // SQLite has no OFFSET without a LIMIT.
    await write(
      `DELETE FROM sign_in WHERE id IN
         (SELECT id FROM sign_in ORDER BY expires_at DESC, id LIMIT 1000000 OFFSET ${PENDING_MAX})`,
    )
  })
}

/** Opens a pending sign-in with the value of the browser's cookie. Undefined: there is none, its time is over, or another browser began it. */
export async function openPendingSignIn(
  database: Database,
  id: string,
  secret: string | undefined,
): Promise<PendingSignIn | undefined> {
  const [row] = await database.read("SELECT sealed FROM sign_in WHERE id = ? AND expires_at > ?", id, Date.now())
  const text = row && secret && unseal(id, secret, String(row["sealed"]))
  return text ? v.parse(pendingSignIn, JSON.parse(text)) : undefined
}

/** Removes a pending sign-in, so that it works once. @returns false when another request was first */
export async function consumePendingSignIn(database: Database, id: string): Promise<boolean> {
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
