/** A real mail server on loopback that keeps what it accepts, and that refuses, stalls or cuts as a test asks. */
import type { Socket } from "node:net"
import { SMTPServer } from "smtp-server"
import { onTestFinished } from "vitest"

export type Received = {
  readonly to: readonly string[]
  readonly from: string
  /** The message as it was sent. */
  readonly raw: string
  readonly at: number
}

/** `cut`: the connection breaks after the message was kept, before the answer. */
export type Verdict = { readonly code: number; readonly text?: string } | "stall" | "cut" | undefined

export class MailServerForTest {
  readonly received: Received[] = []
  /** What the clients have sent, as it was on the wire. */
  wire = ""
  /** How many connections were opened. */
  connections = 0
  /** Decides about each connection, address and message. Undefined: accepted. */
  onConnect: () => Verdict = () => undefined
  onAddress: (address: string) => Verdict = () => undefined
  onMessage: (to: readonly string[]) => Verdict = () => undefined
  /** How long the server thinks about a message that it has received. */
  slowMs = 0
  readonly port: number
  readonly #server: SMTPServer
  readonly #sockets = new Set<Socket>()

  private constructor(port: number, server: SMTPServer) {
    this.port = port
    this.#server = server
    server.server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on("data", (chunk: Buffer) => (this.wire += chunk.toString()))
      socket.on("close", () => this.#sockets.delete(socket))
    })
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`
  }

  /** Listens until the test is over. With `auth` it demands this user and password. */
  static async start(
    options: {
      readonly port?: number
      readonly auth?: { user: string; pass: string }
      readonly isAscii?: boolean
    } = {},
  ): Promise<MailServerForTest> {
    const { auth } = options
    let own: MailServerForTest | undefined
    const give = (verdict: Verdict, done: (error?: Error) => void, cut: () => void) => {
      if (verdict === undefined) return done()
      if (verdict === "stall") return
      if (verdict === "cut") return cut()
      done(Object.assign(new Error(verdict.text ?? "no"), { responseCode: verdict.code }))
    }
    const server = new SMTPServer({
      disabledCommands: auth === undefined ? ["AUTH", "STARTTLS"] : ["STARTTLS"],
      authOptional: auth === undefined,
      allowInsecureAuth: true,
      disableReverseLookup: true,
      hideSMTPUTF8: options.isAscii === true,
      closeTimeout: 100,
      onAuth: ({ username, password }, _, done) =>
        username === auth?.user && password === auth?.pass ? done(null, { user: "desk" }) : done(new Error("no")),
      onConnect: (_, done) => {
        if (own === undefined) return done()
        own.connections++
        give(own.onConnect(), done, () => undefined)
      },
      onRcptTo: ({ address }, _, done) => give(own?.onAddress(address), done, () => undefined),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = []
        stream.on("data", (chunk: Buffer) => chunks.push(chunk))
        stream.on("end", () => {
          const to = session.envelope.rcptTo.map(({ address }) => address)
          const from = session.envelope.mailFrom === false ? "" : session.envelope.mailFrom.address
          const verdict = own?.onMessage(to)
          if (verdict === undefined || verdict === "cut") {
            own?.received.push({ to, from, raw: Buffer.concat(chunks).toString(), at: Date.now() })
          }
          setTimeout(() => give(verdict, done, () => own?.cut(session.remotePort)), own?.slowMs ?? 0)
        })
      },
    })
    server.on("error", () => undefined)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    server.listen(options.port ?? 0, "127.0.0.1", resolve)
    server.server.once("error", reject)
    await promise
    const address = server.server.address()
    own = new MailServerForTest(typeof address === "object" && address !== null ? address.port : 0, server)
    onTestFinished(() => own?.stop())
    return own
  }

  /** Cuts the connection of one client without an answer. */
  cut(remotePort: number): void {
    for (const socket of this.#sockets) if (socket.remotePort === remotePort) socket.destroy()
  }

  stop(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    return promise
  }
}

/** A header of a message, unfolded. */
export function headerOf(received: Pick<Received, "raw"> | undefined, name: string): string | undefined {
  const { raw = "" } = received ?? {}
  const [head = ""] = raw.split(/\r?\n\r?\n/, 1)
  return new RegExp(`^${name}: (.*)$`, "im").exec(head.replaceAll(/\r?\n[ \t]+/g, " "))?.[1]
}

/** The text of a message. */
export function textOf(received: Pick<Received, "raw"> | undefined): string {
  const { raw = "" } = received ?? {}
  const body = raw.slice(raw.search(/\r?\n\r?\n/)).trim()
  if (!/^content-transfer-encoding: quoted-printable/im.test(raw)) return body.replaceAll("\r\n", "\n")
  const bytes = body
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return Buffer.from(bytes, "latin1").toString().replaceAll("\r\n", "\n")
}
