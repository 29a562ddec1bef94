/** Proves to a push service that a message comes from this desk (RFC 8292). The key is made once, and is in the store. */
import { generateKeyPairSync } from "node:crypto"
import { importJWK, SignJWT } from "jose"
import * as v from "valibot"
import type { Database } from "../../store/database.ts"
import { select } from "../../store/tables.ts"
import { readTokenKey } from "../unsubscribe.ts"

const ALGORITHM = "ES256"
/** RFC 8292 allows 24 h. */
const LASTS_SECONDS = 43_200

const keyRow = v.object({
  pushKey: v.pipe(
    v.string(),
    v.parseJson(),
    v.object({ kty: v.literal("EC"), crv: v.literal("P-256"), x: v.string(), y: v.string(), d: v.string() }),
  ),
})

export type Vapid = {
  /** The public key in base64url: an uncompressed point of P-256, which a browser asks for when it subscribes. */
  readonly publicKey: string
  /** The Authorization header for an endpoint. */
  readonly authorize: (endpoint: URL) => Promise<string>
}

/** Reads the key, which the desk that starts first makes. `contact` is how a push service reaches who runs the desk. @throws StoreUnavailableError */
export async function readVapid(database: Database, contact: string): Promise<Vapid> {
  // Not for the token's key: this creates the row of `notice_desk`.
  await readTokenKey(database)
  const made = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })
  await database.write("UPDATE notice_desk SET push_key = ? WHERE id = 1 AND push_key IS NULL", JSON.stringify(made))
  const [row] = await select(database, keyRow, "SELECT push_key FROM notice_desk WHERE id = 1")
  if (row === undefined) throw new Error("the push key wasn't stored")
  const { x, y } = row.pushKey
  const point = [Buffer.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]
  const publicKey = Buffer.concat(point).toString("base64url")
  const key = await importJWK(row.pushKey, ALGORITHM)
  return {
    publicKey,
    authorize: async ({ origin }) => {
      const expires = Math.floor(Date.now() / 1_000) + LASTS_SECONDS
      const claims = new SignJWT().setAudience(origin).setExpirationTime(expires).setSubject(contact)
      return `vapid t=${await claims.setProtectedHeader({ typ: "JWT", alg: ALGORITHM }).sign(key)}, k=${publicKey}`
    },
  }
}
