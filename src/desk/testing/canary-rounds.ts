/** Looks for the token in everything that leaves the proxy, while the upstream sends the token back in every way. */
import { randomUUID } from "node:crypto"
import { expect, vi } from "vitest"
import { operations } from "../../contract/operations.ts"
import { faultsOfRun } from "./audit.ts"
import { CANARY, MUTATION, WRITTEN, openStore, sendRaw, startTestProxy } from "./desk.ts"
import { startRawUpstream } from "./upstreams.ts"

const hex = (prefix: string) => [...Buffer.from(CANARY)].map((byte) => prefix + byte.toString(16)).join("")
const IN_JSON = [CANARY, encodeURIComponent(CANARY), hex("\\u00")]
const IN_HEADERS = [CANARY, encodeURIComponent(CANARY), hex("%")]

const BYTES = "an Artifact's bytes"

const STATUSES = ["200 OK", "201 Created", "202 Accepted", "302 Found", "401 No", "404 No", "500 No"]

/** The ways in which an upstream with one of `statuses` could send the token back, spelled in the way of that index. */
function answersOf(index: number, statuses: readonly string[]): readonly string[] {
  const [inJson = "", inHeaders = ""] = [IN_JSON[index], IN_HEADERS[index]]
  const types = [
    "application/json",
    "application/problem+json",
    "text/event-stream",
    "application/octet-stream",
    "text/html",
    `text/x-${inHeaders}`,
    `application/json; x=${inHeaders}`,
  ]
  const headers = [
    `Set-Cookie: ${inHeaders}`,
    `ETag: "${inHeaders}"`,
    `Retry-After: ${inHeaders}`,
    `Location: /api/v1/work/${inHeaders}`,
    `RateLimit: ${inHeaders}`,
    `RateLimit-Policy: ${inHeaders}`,
    `Idempotent-Replayed: ${inHeaders}`,
    `Content-Disposition: attachment; filename="${inHeaders}"`,
    `WWW-Authenticate: Bearer ${inHeaders}`,
    `X-Echo: ${inHeaders}`,
  ]
  const members = ["type", "title", "detail", "instance", "code", "request_id", inJson].map(
    (name) => `"${name}":"Bearer ${inJson} is wrong"`,
  )
  const problem = `{${members.join()},"status":401,"retryable":false,"more":["${inJson}"]}`
  const success = `{"data":["${CANARY}"],"${CANARY}":1}`
  const stream = `: ${CANARY}\nid: 1\nevent: ${CANARY}\ndata: ${CANARY}\n\n`
  // An Artifact's bytes have a hash and pass unchanged, so the test checks only the head of a download.
  const contents: Readonly<Record<string, string>> = { "text/event-stream": stream, "application/octet-stream": BYTES }
  return statuses.flatMap((status) =>
    types.map((type) => {
      const content = contents[type] ?? (status.startsWith("2") ? success : problem)
      const length = Buffer.byteLength(content)
      const head = [
        `HTTP/1.1 ${status}`,
        `Content-Type: ${type}`,
        ...headers,
        `Content-Length: ${length}`,
        "Connection: close",
      ]
      return `${head.join("\r\n")}\r\n\r\n${content}`
    }),
  )
}

const broken = [
  "",
  CANARY,
  `HTTP/1.1 200 ${CANARY}\r\nX: ${CANARY}`,
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{"${CANARY}`,
]

const TEXT = JSON.stringify({ decision: "decline", comment: WRITTEN, answer: WRITTEN, objective: WRITTEN })
const BODY = `Content-Length: ${TEXT.length}\r\n\r\n${TEXT}`

const WITHOUT_UPSTREAM = [
  "/",
  "/desk/session",
  "/desk/health",
  "/desk/health?upstream",
  "/api/nothing",
  `/api/v1/work/${"x".repeat(9)}%00`,
]

/**
 * Sends each operation while the upstream sends the token back in every way, and looks for the token in what left the proxy. Each spelling
 * of the token comes with each type and with each status. Without `everyStatus` it comes with 200 and a third of the other statuses.
 */
export async function canaryRounds({ everyStatus }: { readonly everyStatus: boolean }): Promise<void> {
  const answers = IN_HEADERS.flatMap((_, index) =>
    answersOf(
      index,
      STATUSES.filter((status, at) => everyStatus || status === "200 OK" || at % IN_HEADERS.length === index),
    ),
  )
  let answer = ""
  let wasSentUp = 0
  const upstream = await startRawUpstream((socket, sent) => {
    if (sent.includes(`authorization: Bearer ${CANARY}\r\n`)) wasSentUp++
    socket.end(answer)
  })
  const printed: string[] = []
  for (const stream of [process.stdout, process.stderr]) {
    const spy = vi.spyOn(stream, "write").mockImplementation((text) => printed.push(String(text)) > 0)
    onTestEnd.push(() => spy.mockRestore())
  }
  const store = await openStore()
  const proxy = await startTestProxy(upstream.url, store)
  const targets = Object.values(operations).map(({ method, path }) => `${method} ${path}`)
  const left: string[] = []
  let count = 0
  for (answer of [...answers, ...broken]) {
    const received = await Promise.all(
      targets.map((target) => {
        // Each request is about another item, so that nothing is decided twice.
        const path = target.replaceAll(/\{\w+\}/g, `x${++count}`)
        return sendRaw(proxy.port, `${path} HTTP/1.1\r\n${headOf()}${BODY}`)
      }),
    )
    left.push(...received)
  }
  for (const path of WITHOUT_UPSTREAM) left.push(await sendRaw(proxy.port, `GET ${path} HTTP/1.1\r\n${headOf()}\r\n`))
  while (onTestEnd.length > 0) onTestEnd.pop()?.()
  expect(wasSentUp).toBeGreaterThan(answers.length)
  expect(left.filter((bytes) => bytes.startsWith("HTTP/1.1 ")).length).toBe(left.length)
  expect(left.filter((bytes) => bytes.startsWith("HTTP/1.1 200 ")).length).toBeGreaterThan(10)
  const downloads = left.filter((bytes) => bytes.startsWith("HTTP/1.1 200 ") && bytes.endsWith(BYTES))
  expect(downloads).toHaveLength(IN_HEADERS.length)
  for (const bytes of downloads) expect(bytes).toMatch(/Content-Disposition: attachment\r\n/i)
  expect(`${proxy.logged.join("\n")}${printed.join("\n")}`).not.toContain(WRITTEN)
  const everything = `${left.join("\n")}${proxy.logged.join("\n")}${printed.join("\n")}`
  for (const spelled of [...IN_JSON, ...IN_HEADERS]) expect(everything.includes(spelled), spelled).toBe(false)
  expect(everything).toContain("[concealed]")
  expect(await faultsOfRun(store.database)).toEqual([])
}

/** The head of a request with a key of its own. */
const headOf = () =>
  Object.entries({ Host: "localhost", Connection: "close", ...MUTATION, "Idempotency-Key": randomUUID() })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")

const onTestEnd: (() => void)[] = []
