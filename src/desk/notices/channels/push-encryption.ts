/** Encrypts a push message for one browser (RFC 8291 with the content coding of RFC 8188). */
import { createCipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from "node:crypto"

/** The keys that a browser gives with its subscription: a point of P-256 (65 bytes), and a secret (16 bytes). */
export type DeviceKeys = { readonly p256dh: Buffer; readonly auth: Buffer }

const CURVE = "prime256v1"
const POINT_BYTES = 65
const SECRET_BYTES = 16
const SALT_BYTES = 16
const RECORD_BYTES = 4_096
/** Ends the last record (RFC 8188, 2). */
const LAST_RECORD = 2

/** Reads the keys of a subscription, in base64url. Undefined: no message can be encrypted for them. */
export function readDeviceKeys(p256dh: string, auth: string): DeviceKeys | undefined {
  const keys = { p256dh: decode(p256dh), auth: decode(auth) }
  if (keys.p256dh?.length !== POINT_BYTES || keys.auth?.length !== SECRET_BYTES) return undefined
  try {
    newKey().computeSecret(keys.p256dh)
  } catch {
    // The point is not on the curve.
    return undefined
  }
  return { p256dh: keys.p256dh, auth: keys.auth }
}

function decode(text: string): Buffer | undefined {
  return /^[A-Za-z0-9_-]{1,100}=*$/.test(text) ? Buffer.from(text, "base64url") : undefined
}

function newKey(): ECDH {
  const key = createECDH(CURVE)
  key.generateKeys()
  return key
}

/** The body of a push message, at most 3,993 bytes of text. `own` is the sender's key and the salt, of which each message has new ones. */
export function encryptPush(
  text: string,
  { p256dh, auth }: DeviceKeys,
  own: { readonly key: ECDH; readonly salt: Buffer } = { key: newKey(), salt: randomBytes(SALT_BYTES) },
): Buffer {
  const { key, salt } = own
  const sender = key.getPublicKey()
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), p256dh, sender])
  const shared = Buffer.from(hkdfSync("sha256", key.computeSecret(p256dh), auth, info, 32))
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync("sha256", shared, salt, `Content-Encoding: ${purpose}\0`, bytes))
  const cipher = createCipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12))
  const sealed = [cipher.update(text, "utf8"), cipher.update(Buffer.of(LAST_RECORD)), cipher.final()]
  const head = Buffer.alloc(5)
  head.writeUInt32BE(RECORD_BYTES)
  head.writeUInt8(sender.length, 4)
  return Buffer.concat([salt, head, sender, ...sealed, cipher.getAuthTag()])
}
