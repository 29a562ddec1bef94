/**
 * The mail server, the chat and the device of the demonstration: they take every mail, every message and every push, send none on, and show what
 * arrived on a page, so that a presenter can open the links. Signed heads of the record go to a file, which stands for another machine.
 */
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Readable } from "node:stream"
import { buffer, json, text } from "node:stream/consumers"
import { SMTPServer } from "smtp-server"
import * as v from "valibot"
import { listen } from "../platform/http/listen.ts"
import { PushDevice } from "./push-device.ts"

export type NoticeCatcher = {
  /** For SMTP_URL. */
  readonly smtpUrl: string
  /** For NOTICE_CHAT_URL. */
  readonly chatUrl: string
  /** For RECORD_HEADS_URL. */
  readonly headsUrl: string
  /** The device whose pushes arrive, once they are led to the page. */
  readonly pushDevice: PushDevice
  /** The page with what arrived. */
  readonly pageUrl: string
  stop(): void
}

const HEADS_PATH = "/heads"

type Caught = { readonly at: Date; readonly to: string; readonly subject: string; readonly text: string }

/** A message as Mattermost takes it: a heading, and lines with a link each. */
const headEvent = v.object({ type: v.literal("record.head"), data: v.object({ note: v.string() }) })

const chatMessage = v.object({ text: v.string() })

/**
 * Starts the mail server, and the page with the chat and the device, on free loopback ports. Links to `publicUrl` can be clicked, and no others.
 * The notes of heads are appended to `headsFile`, which exists from now on.
 */
export async function startNoticeCatcher(publicUrl: string, headsFile: string): Promise<NoticeCatcher> {
  writeFileSync(headsFile, "", { flag: "a" })
  const caught: Caught[] = []
  const take = async (to: string, stream: Readable, done: () => void) => {
    caught.unshift({ at: new Date(), to, ...readMessage(await text(stream)) })
    done()
  }
  const smtp = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    authOptional: true,
    disableReverseLookup: true,
    onData: (stream, session, done) => {
      const to = session.envelope.rcptTo.map(({ address }) => address).join(", ")
      void take(to, stream, done)
    },
  })
  // Without a listener, an error of one connection would end the process.
  smtp.on("error", () => undefined)
  smtp.listen(0, "127.0.0.1")
  await once(smtp.server, "listening")
  const takeMessage = async (request: IncomingMessage, response: ServerResponse) => {
    const message = v.safeParse(chatMessage, await json(request).catch(() => undefined))
    if (message.success) {
      const [subject = "", ...lines] = message.output.text.split("\n")
      caught.unshift({
        at: new Date(),
        to: "the chat",
        subject,
        text: lines.join("\n").replaceAll(/\[Open\]\((\S+)\)/g, "$1"),
      })
    }
    response.writeHead(message.success ? 200 : 400).end()
  }
  const pushDevice = new PushDevice()
  const takePush = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const { title, path } = pushDevice.open(await buffer(request))
      caught.unshift({ at: new Date(), to: "Ada's device", subject: title, text: publicUrl + path })
      response.writeHead(201).end()
    } catch {
      response.writeHead(400).end()
    }
  }
  const takeHead = async (request: IncomingMessage, response: ServerResponse) => {
    const event = v.safeParse(headEvent, await json(request).catch(() => undefined))
    if (event.success) writeFileSync(headsFile, event.output.data.note, { flag: "a" })
    response.writeHead(event.success ? 204 : 400).end()
  }
  const page = createServer((request, response) => {
    if (request.method === "POST" && request.url === HEADS_PATH) return void takeHead(request, response)
    const isPush = request.headers["content-encoding"] === "aes128gcm"
    if (request.method === "POST") return void (isPush ? takePush : takeMessage)(request, response)
    response.writeHead(200, {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      "Referrer-Policy": "no-referrer",
      Refresh: "5",
    })
    response.end(pageOf(caught, publicUrl))
  })
  const pagePort = await listen(page, { host: "127.0.0.1", port: 0 }, { host: "HOST", port: "PORT" })
  const address = smtp.server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    smtpUrl: `smtp://127.0.0.1:${port}`,
    chatUrl: `format=mattermost#http://127.0.0.1:${pagePort}/`,
    headsUrl: `http://127.0.0.1:${pagePort}${HEADS_PATH}`,
    pushDevice,
    pageUrl: `http://127.0.0.1:${pagePort}/`,
    stop() {
      smtp.close()
      page.close().closeAllConnections()
    },
  }
}

/** Reads the subject and the text of a mail of the desk, which has one part. */
function readMessage(raw: string): Pick<Caught, "subject" | "text"> {
  const end = /\r?\n\r?\n/.exec(raw)
  const head = raw.slice(0, end?.index).replaceAll(/\r?\n[ \t]+/g, " ")
  const body = end === null ? "" : raw.slice(end.index + end[0].length)
  const isQuoted = /^content-transfer-encoding: quoted-printable/im.test(head)
  const bytes = body
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return {
    subject: /^subject: (.*)$/im.exec(head)?.[1] ?? "",
    text: isQuoted ? Buffer.from(bytes, "latin1").toString() : body,
  }
}

function pageOf(caught: readonly Caught[], publicUrl: string): string {
  const articles = caught.map(
    ({ at, to, subject, text }) => `<article>
<h2>${escape(subject)}</h2>
<p>To ${escape(to)}, ${at.toLocaleTimeString()}</p>
<pre>${link(text, publicUrl)}</pre>
</article>`,
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Demonstration notices</title>
<style>body{font:16px/1.5 system-ui;max-width:50rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap;overflow-wrap:anywhere}article{border-top:1px solid #8888;padding:.5rem 0}h2{font-size:1rem}</style>
<h1>Demonstration notices</h1>
${articles.length === 0 ? "<p>Nothing has arrived yet. In a demonstration with people, sign in as Ada, open Notices, and press “Send a test mail”, or “Send a test” for her device.</p>" : articles.join("\n")}
</html>
`
}

/** Makes links of the addresses of the desk. */
function link(text: string, publicUrl: string): string {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((part) =>
      part.startsWith(`${publicUrl}/`) ? `<a href="${escape(part)}" target="_blank">${escape(part)}</a>` : escape(part),
    )
    .join("")
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

const escape = (text: string) => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
