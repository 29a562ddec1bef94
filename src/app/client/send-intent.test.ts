// happy-dom has no locks.
// @vitest-environment node
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { bigint, number, object, string } from "valibot"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { errorFromResponse, unreachable } from "./desk-error.ts"
import { endAttemptOfGoneTab, followIntents, sendIntent, sendIntentAgain } from "./send-intent.ts"
import { defineIntents, type Intent, type IntentEntry } from "./stored-intent.ts"
import { createLimitedStorage } from "./testing/limited-storage.ts"
import { forgetOldEntries, setOwner } from "./storage.ts"

type Input = { readonly version: bigint; readonly text: string }
type Result = { readonly effect: number }

/** A real peer that keeps keys as openapi.yaml says (header `Idempotency-Key`). A test tells it how to treat the next requests. */
let server: Server
let address: string
let effects: Map<string, number>
let arrived: { key: string; body: string }[]
let treat: ((response: ServerResponse) => boolean)[]

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const key = String(request.headers["idempotency-key"])
  arrived.push({ key, body: await text(request) })
  const treatment = treat.shift()
  if (treatment !== undefined && !treatment(response)) return
  const replayed = effects.has(key)
  if (!replayed) effects.set(key, effects.size + 1)
  if (treatment !== undefined) {
    response.destroy()
    return
  }
  response.writeHead(200, { "content-type": "application/json", "idempotent-replayed": String(replayed) })
  response.end(JSON.stringify({ effect: effects.get(key) }))
}

const loseAnswer = () => true
const refuse =
  (status: number, headers: Record<string, string> = {}, code = "NO") =>
  (response: ServerResponse) => {
    const problem = {
      type: "t",
      title: "No",
      status,
      detail: "No.",
      instance: "i",
      code,
      request_id: "req_1",
      retryable: false,
    }
    response.writeHead(status, { "content-type": "application/problem+json", ...headers })
    response.end(JSON.stringify(problem))
    return false
  }

async function send(input: Input, key: string): Promise<{ data: Result; replayed: boolean }> {
  const answer = await fetch(address, {
    method: "POST",
    headers: { "idempotency-key": key },
    body: `${String(input.version)} ${input.text}`,
  }).catch((cause: unknown) => {
    throw unreachable(cause)
  })
  if (!answer.ok) throw await errorFromResponse(answer)
  const data = (await answer.json()) as Result
  return { data, replayed: answer.headers.get("idempotent-replayed") === "true" }
}

const intents = defineIntents<readonly [name: string], Input, Result>({
  name: "test-intent",
  input: object({ version: bigint(), text: string() }),
  result: object({ effect: number() }),
})

let room: { characters: number }
let entry: IntentEntry<Input, Result>
const read = (): Intent<Input, Result> | undefined => entry.read()
/** Changes the stored text, as another tab or a long wait would change it. */
const rewrite = (before: string, after: string) =>
  localStorage.setItem(entry.name, (localStorage.getItem(entry.name) ?? "").replace(before, after))
const input = { version: 9_007_199_254_740_993n, text: "Yes" }
const keys = () => new Set(arrived.map(({ key }) => key)).size

beforeEach(async () => {
  setOwner("local")
  room = { characters: Infinity }
  vi.stubGlobal("localStorage", createLimitedStorage(room))
  entry = intents(crypto.randomUUID())
  effects = new Map()
  arrived = []
  treat = []
  server = createServer((request, response) => void serve(request, response))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
})
afterEach(async () => {
  vi.unstubAllGlobals()
  server.closeAllConnections()
  server.close()
  await once(server, "close")
})

describe("an intent", () => {
  it("is stored with its key before it is sent, int64 exact", async () => {
    let storedWhenSent: Intent<Input, Result> | undefined
    await sendIntent(entry, input, (sent, key) => {
      storedWhenSent = read()
      return send(sent, key)
    })
    expect(storedWhenSent).toMatchObject({ state: "sending", input, key: arrived[0]?.key })
    expect(arrived).toMatchObject([{ body: "9007199254740993 Yes" }])
    expect(read()).toMatchObject({ state: "confirmed", replayed: false, result: { effect: 1 } })
  })

  it("is sent once, however often it is asked for at the same time", async () => {
    await Promise.all(Array.from({ length: 20 }, () => sendIntent(entry, input, send)))
    expect(arrived).toHaveLength(1)
  })

  it("whose answer is lost is unknown; sent again under its key, it is recorded once", async () => {
    treat = [loseAnswer]
    await sendIntent(entry, input, send)
    expect(read()).toMatchObject({ state: "unknown", error: { kind: "unreachable" } })
    await sendIntentAgain(entry, send)
    expect(read()).toMatchObject({ state: "confirmed", replayed: true })
    expect([arrived.length, keys(), effects.size]).toEqual([2, 1, 1])
  })

  it("keeps its key for the same input after a refusal; another input gets another key", async () => {
    treat = [refuse(422), refuse(412)]
    await sendIntent(entry, input, send)
    expect(read()).toMatchObject({ state: "refused", error: { status: 422, requestId: "req_1" } })
    await sendIntent(entry, input, send)
    expect(keys()).toBe(1)
    await sendIntent(entry, { ...input, version: input.version + 1n }, send)
    expect(keys()).toBe(2)
    expect(read()).toMatchObject({ state: "confirmed" })
  })

  it("takes a new key when the service says that its key belongs to another input", async () => {
    treat = [refuse(409, {}, "IDEMPOTENCY_CONFLICT")]
    await sendIntent(entry, input, send)
    await sendIntent(entry, input, send)
    expect(keys()).toBe(2)
  })

  it("that was recorded is done: sending the same input again is a new intent", async () => {
    await sendIntent(entry, input, send)
    await sendIntentAgain(entry, send)
    expect(arrived).toHaveLength(1)
    await sendIntent(entry, input, send)
    expect(keys()).toBe(2)
  })

  it("waits for its Retry-After, and is not sent before", async () => {
    treat = [refuse(429, { "retry-after": "60" })]
    await sendIntent(entry, input, send)
    const waiting = read()
    expect(waiting).toMatchObject({ state: "refused", error: { status: 429 } })
    await sendIntentAgain(entry, send)
    await sendIntent(entry, input, send)
    expect(arrived).toHaveLength(1)
    // The wait is over.
    const retryAt = waiting !== undefined && "error" in waiting ? String(waiting.error.retryAt) : ""
    rewrite(retryAt, String(performance.timeOrigin + performance.now() - 1))
    await sendIntentAgain(entry, send)
    expect(read()).toMatchObject({ state: "confirmed" })
    expect(keys()).toBe(1)
  })

  it("whose tab is gone while it was sent is unknown, and only the person sends it again", async () => {
    treat = [loseAnswer]
    await sendIntent(entry, input, send)
    const left = read()
    rewrite('"state":"unknown"', '"state":"sending"')
    await endAttemptOfGoneTab(entry)
    expect(read()).toMatchObject({ state: "unknown", key: left?.key, input })
    expect(arrived).toHaveLength(1)
    await sendIntentAgain(entry, send)
    expect(read()).toMatchObject({ state: "confirmed", key: left?.key, replayed: true })
    expect(effects.size).toBe(1)
  })

  it("that is followed becomes unknown once its tab is gone, and not while its tab sends it", async () => {
    const changes = vi.fn<() => void>()
    const stop = followIntents([entry], changes)
    await sendIntent(entry, input, send)
    expect(read()).toMatchObject({ state: "confirmed" })
    expect(changes).toHaveBeenCalled()
    stop()
    // The tab ends in the middle of its request.
    rewrite('"state":"confirmed"', '"state":"sending"')
    const stopAgain = followIntents([entry], changes)
    await vi.waitFor(() => expect(read()).toMatchObject({ state: "unknown", input }))
    stopAgain()
    expect(arrived).toHaveLength(1)
  })

  it("of an older build that waited for its Retry-After is a refusal, and keeps its key", async () => {
    treat = [refuse(429, { "retry-after": "0" })]
    await sendIntent(entry, input, send)
    rewrite('"state":"refused"', '"state":"waiting"')
    expect(read()).toMatchObject({ state: "refused" })
    await sendIntentAgain(entry, send)
    expect(read()).toMatchObject({ state: "confirmed" })
    expect(keys()).toBe(1)
  })

  it("that is discarded while it is sent leaves nothing behind", async () => {
    const sending = sendIntent(entry, input, (sent, key) => {
      entry.remove()
      return send(sent, key)
    })
    await sending
    expect(read()).toBeUndefined()
  })

  it("is forgotten a day after it ended, and never while it may still be sent", async () => {
    const tomorrow = Date.now() + 25 * 60 * 60 * 1000
    await sendIntent(entry, input, send)
    forgetOldEntries(localStorage)
    expect(read()).toMatchObject({ state: "confirmed" })
    forgetOldEntries(localStorage, tomorrow)
    expect(read()).toBeUndefined()
    treat = [loseAnswer]
    await sendIntent(entry, input, send)
    forgetOldEntries(localStorage, tomorrow)
    expect(read()).toMatchObject({ state: "unknown" })
  })

  it("whose key cannot be stored is not sent, and says so", async () => {
    room.characters = 10
    await sendIntent(entry, input, send)
    expect(arrived).toEqual([])
    expect(read()).toMatchObject({ state: "refused", error: { kind: "unsent", outcomeUnknown: false } })
    room.characters = Infinity
    await sendIntent(entry, input, send)
    expect(read()).toMatchObject({ state: "confirmed" })
    expect([arrived.length, effects.size]).toEqual([1, 1])
  })

  it("whose outcome finds no room in the storage leaves nothing there that says `sending`", async () => {
    await sendIntent(entry, input, async (sent, key) => {
      const answer = await send(sent, key)
      room.characters = 10
      return answer
    })
    expect(read()).toMatchObject({ state: "confirmed" })
    expect(localStorage.getItem(entry.name)).toBeNull()
  })
})
