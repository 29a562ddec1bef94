/** A push service over HTTP for tests, and the keys of a browser, which decrypts as RFC 8291 says. */
import { createDecipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from "node:crypto"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { onTestFinished } from "vitest"
import type { Statements } from "../../store/database.ts"
import { insert } from "../../store/tables.ts"
import { leadTo } from "./push-dispatcher.ts"

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

/** Stores a device of a person, as if the person had registered it. The end of its endpoint is its id. */
export async function storeDevice(
  statements: Pick<Statements, "write">,
  id: string,
  personId: string,
  { keys }: BrowserKeys,
): Promise<void> {
  const endpoint = `https://a.push.example/${id}`
  const row = { id, personId, sessionId: "", browserId: "", endpoint, ...keys, label: "Firefox on Linux", since: 1 }
  await insert(statements, "push_device", row)
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

export type Pushed = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }

export type PushServiceForTest = Awaited<ReturnType<typeof startPushService>>

/** A push service. `dispatcher` leads the endpoints of `push.example` to it. */
export async function startPushService() {
  const received: Pushed[] = []
  /** `answer` gives the status, now or later. */
  const control = { answer: (_pushed: Pushed): number | Promise<number> => 201 }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const pushed = { path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) }
      received.push(pushed)
      const answer = (status: number) =>
        response.writeHead(status, { Location: `https://push.example/redirected` }).end()
      void Promise.resolve(control.answer(pushed)).then(answer)
    })
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, "127.0.0.1", resolve)
  await promise
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const url = `http://127.0.0.1:${port}`
  const dispatcher = leadTo(url)
  onTestFinished(async () => {
    await dispatcher.destroy()
    server.close().closeAllConnections()
  })
  return { url, received, control, dispatcher }
}
