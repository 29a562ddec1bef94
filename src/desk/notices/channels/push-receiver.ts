/** The other side of push, for tests and the demonstration: a browser's keys, how it opens a message (RFC 8291), and the way to its push service. */
import { createDecipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from "node:crypto"
import { Agent, type Dispatcher } from "undici"

export type BrowserKeys = {
  readonly own: ECDH
  /** As a subscription has them. */
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

export function newBrowserKeys(): BrowserKeys {
  const own = createECDH("prime256v1")
  const p256dh = own.generateKeys("base64url")
  return { own, keys: { p256dh, auth: randomBytes(16).toString("base64url") } }
}

/** Opens a message as a browser does. Throws when it is not for this browser. */
export function decryptPush(body: Buffer, { own, keys }: BrowserKeys): string {
  const salt = body.subarray(0, 16)
  const idLength = body.readUInt8(20)
  const sender = body.subarray(21, 21 + idLength)
  const sealed = body.subarray(21 + idLength)
  const auth = Buffer.from(keys.auth, "base64url")
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), own.getPublicKey(), sender])
  const shared = Buffer.from(hkdfSync("sha256", own.computeSecret(sender), auth, info, 32))
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync("sha256", shared, salt, `Content-Encoding: ${purpose}\0`, bytes))
  const decipher = createDecipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12))
  decipher.setAuthTag(sealed.subarray(-16))
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  const end = padded.lastIndexOf(2)
  if (end === -1 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error("the padding is wrong")
  return padded.subarray(0, end).toString()
}

/** Leads every address of `push.example` to this service, so that endpoints have names that a desk may accept. */
export function leadTo(service: string): Dispatcher {
  return new Agent().compose((dispatch) => (options, handler) => {
    const isPush = String(options.origin).endsWith(".push.example")
    return dispatch(isPush ? { ...options, origin: service } : options, handler)
  })
}
