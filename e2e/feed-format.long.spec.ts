import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { join } from "node:path"
import { expect, test } from "@playwright/test"
import { build } from "vite"
import { createEventReader } from "../src/desk/proxy/event-reader.ts"

/**
 * Streams written anew from the HTML standard ("Parsing an event stream", "Interpreting an event stream"), after the topics
 * of the web-platform tests for EventSource. Each is read by the browser's own EventSource as it is, and by the app's reader as the desk
 * writes it, whole and one byte a write: both must see the same events. The package that the app reads with loses an empty first line of data,
 * and a byte order mark at the beginning of a value, so no case has these.
 */
const CASES: Readonly<Record<string, string | Uint8Array>> = {
  "a byte order mark at the start": "\uFEFFdata:1\n\n",
  "two byte order marks, of which one is a field's": "\uFEFF\uFEFFdata:1\n\ndata:2\n\n",
  "a byte order mark on a later line": "data:1\n\n\uFEFFdata:2\n\ndata:3\n\n",
  comments: ":\n: note\n:data:no\ndata:1\n:in a frame\ndata:2\n\n:\n\n",
  "a comment of many characters": `:${"x".repeat(70_000)}\ndata:1\n\n`,
  "a frame without an end": "data:1\n\ndata:2\nid:9",
  "a frame with one line end": "data:1\n\ndata:2\n",
  "data without a value, without a colon, and both": "data:\n\ndata\n\ndata:test\n\n",
  "empty lines of data after a full one": "data:x\ndata\ndata:\ndata:y\n\n",
  "an event without a type, and with an empty one": "event\ndata:1\n\nevent:\ndata:2\n\nevent: \ndata:3\n\n",
  "a type for one frame only": "event:a\ndata:1\n\ndata:2\n\n",
  "a type in a frame without data": "event:a\n\ndata:1\n\n",
  "fields twice in a frame": "event:a\nevent:b\nid:1\nid:2\ndata:1\n\n",
  "ids that stay, change and go": "id:1\ndata:1\n\ndata:2\n\nid:2\ndata:3\n\nid\ndata:4\n\nid: \ndata:5\n\n",
  "an id with a NUL": "id:1\ndata:1\n\nid:2\u00003\ndata:2\n\n",
  "ids that are no numbers": "id:abc\ndata:1\n\nid:9223372036854775807\ndata:2\n\nid: -1 \ndata:3\n\n",
  "retry in every form": "retry:50\ndata:1\n\nretry:5x\nretry\nretry:-1\ndata:2\n\n",
  "unknown fields, other case, spaces and letters": "Data:1\ndata :2\n data:3\nda-ta:4\ndata_5\nxyz:6\ndata:7\n\n",
  "NULs where they matter": "data\u0000:1\n\u0000data:2\ndata:\u0000\n\n",
  "one leading space is taken away": "data:\ttab\ndata: one\ndata:  two\ndata:\n\n",
  "colons in values": "data::\ndata:a:b\ndata: : c\n\n",
  "every kind of line end": "data:1\r\ndata:2\ndata:3\r\rdata:4\r\n\r\ndata:5\n\n\n\r\r\n",
  "a carriage return at the end": "data:1\r\r",
  "line feed after carriage return, in values and frames": "data:1\r\n\ndata:2\r\r\n",
  "the mess of the standard's example":
    "data:\u0000\ndata:  2\rData:1\ndata\u0000:2\ndata:1\r\u0000data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n",
  "characters of two, three and four bytes": "data:ä€𝒳\nevent:é\nid:ü\n\n",
  "bytes that are no UTF-8": Uint8Array.of(
    ...ascii("data:a"),
    0xff,
    0xc3,
    ...ascii("b\ndata:c"),
    0xe2,
    0x82,
    ...ascii("\n\n"),
  ),
  "lines that look like our own marks": "data:.\ndata:..\ndata:\nid:.\nevent:.\n\n",
  "a line of a megabyte": `data:${"long ".repeat(200_000)}\n\n`,
  "many lines and many frames": `${"data:x\n".repeat(500)}\n${"data:y\n\n".repeat(500)}`,
}

const TYPES = ["message", "a", "b", "\uFEFFa", "é", ".", "test"]
/** Long streams are not sent byte by byte. */
const SLOW_MAX = 5_000

function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

test("the app's reader sees what the browser's own EventSource sees", async ({ page }) => {
  test.setTimeout(120_000)
  const server = await serveCases(await bundleReader())
  await page.goto(server.url)
  for (const [name, stream] of Object.entries(CASES)) {
    for (const pace of stream.length <= SLOW_MAX ? ["whole", "bytes"] : ["whole"]) {
      const address = `/stream?${new URLSearchParams({ name, pace }).toString()}`
      const own = await page.evaluate(readWithEventSource, { address, types: TYPES })
      const ours = await page.evaluate(readWithReader, `${address}&by=desk`)
      expect(
        ours.map(({ type, data }) => ({ type, data })),
        `${name}, ${pace}`,
      ).toEqual(own.map(({ type, data }) => ({ type, data })))
      // A frame's own id is what the standard calls the last event id from there on; frames without one say nothing.
      const named = ours.flatMap(({ id }, index) => (id === null ? [] : [{ index, id }]))
      expect(named, `${name}, ${pace}`).toEqual(named.map(({ index }) => ({ index, id: own[index]?.lastEventId })))
    }
  }
  await server.stop()
})

type Heard = { type: string; data: string; lastEventId: string }

async function readWithEventSource({ address, types }: { address: string; types: string[] }): Promise<Heard[]> {
  return new Promise((resolve) => {
    const heard: Heard[] = []
    const source = new EventSource(address)
    for (const type of types)
      source.addEventListener(type, ({ data, lastEventId }) => {
        heard.push({ type, data: String(data), lastEventId })
      })
    source.addEventListener("error", () => {
      source.close()
      resolve(heard)
    })
  })
}

async function readWithReader(address: string): Promise<{ type: string; data: string; id: string | null }[]> {
  const module: unknown = await import(`${location.origin}/reader.js`)
  if (typeof module !== "object" || module === null || !("readEventStream" in module)) throw new Error("no reader")
  const read = module.readEventStream
  if (typeof read !== "function") throw new Error("no reader")
  const frames: { type: string; data: string; id: string | null }[] = []
  await read({
    address,
    silenceMs: 20_000,
    signal: new AbortController().signal,
    onOpen: () => undefined,
    onFrame: ({ id, type, data }: { id: string | undefined; type: string; data: string }) =>
      frames.push({ type, data, id: id ?? null }),
  })
  return frames
}

/** The reader as one module, built from the app's own source. */
async function bundleReader(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "silent",
    // A library build leaves this to whoever uses the library.
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      write: false,
      minify: false,
      // One file, although the app loads some modules later.
      rolldownOptions: { output: { codeSplitting: false } },
      lib: {
        entry: join(import.meta.dirname, "../src/app/activity/event-connection.ts"),
        formats: ["es"],
        fileName: "reader",
      },
    },
  })
  const outputs = Array.isArray(built) ? built : [built]
  for (const output of outputs) {
    if (!("output" in output)) continue
    const [chunk] = output.output
    return chunk.code
  }
  throw new Error("Vite built nothing")
}

/** A page, the reader and the streams, over plain TCP: each byte leaves as the case says. */
async function serveCases(reader: string) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.setNoDelay()
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => socket.destroy())
    socket.once("data", (head) => void answer(socket, head.toString("latin1").split(" ")[1] ?? "/", reader))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return {
    url: `http://127.0.0.1:${String(typeof address === "object" && address !== null ? address.port : 0)}/`,
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    },
  }
}

async function answer(socket: Socket, target: string, reader: string) {
  const { pathname, searchParams } = new URL(target, "http://cases")
  const head = (type: string) => `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nConnection: close\r\n\r\n`
  if (pathname === "/reader.js") return socket.end(head("text/javascript") + reader)
  if (pathname !== "/stream") return socket.end(`${head("text/html")}<!doctype html><title>Cases</title>`)
  const stream = CASES[searchParams.get("name") ?? ""] ?? ""
  const sent = typeof stream === "string" ? ascii(stream) : stream
  const bytes = searchParams.get("by") === "desk" ? writtenByDesk(sent) : sent
  socket.write(head("text/event-stream"))
  if (searchParams.get("pace") === "bytes")
    for (const byte of bytes) {
      socket.write(Uint8Array.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
  else socket.write(bytes)
  return socket.end()
}

/** The stream as the desk relays it. */
function writtenByDesk(stream: Uint8Array): Uint8Array {
  const units = createEventReader()(Buffer.from(stream))
  return Buffer.concat(units.map(({ bytes }) => bytes))
}
