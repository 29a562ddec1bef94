import { randomUUID } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { expect, onTestFinished, test } from "vitest"
import { openLog } from "../../platform/log.ts"
import { freeze, operator } from "../record/freezes.ts"
import { parseHeadText } from "../record/heads/head-note.ts"
import { HeadSigning } from "../record/heads/head-signing.ts"
import { type KeyPlace, openRecordKey } from "../record/heads/record-key.ts"
import { parseNote } from "../record/heads/signed-note.ts"
import type { Database } from "../store/database.ts"
import { databaseForTest, describeStores, sqliteForTest } from "../store/testing/stores.ts"
import { KEYS, type Posted, startReceiver } from "../testing/notices.ts"
import { readWebhookKeys } from "./channels/webhook.ts"
import { HeadSending } from "./head-sending.ts"

const STORE: KeyPlace = { kind: "store" }
const ORIGIN = "desk.example"

/** Freezes the desk and signs the head of these rows. */
async function signHead(database: Database): Promise<void> {
  await openRecordKey(database, STORE, ORIGIN)
  await freeze({ database }, operator, { colleague: null, reason: randomUUID() }, randomUUID())
  const signing = new HeadSigning({
    database,
    place: STORE,
    origin: ORIGIN,
    onSigned: () => undefined,
    onExpired: () => undefined,
    onFailed: (error) => {
      throw error
    },
  })
  await signing.stop()
}

/** A part of a desk that sends heads. */
function newSending(database: Database, url: string) {
  const lines: string[] = []
  const log = openLog("info", { write: (line) => void lines.push(line) })
  const receiver = { url: new URL(url), keys: () => readWebhookKeys(KEYS.join(" ")) }
  const sending = new HeadSending({ database, holder: randomUUID(), receiver, log })
  onTestFinished(() => sending.finish())
  return { sending, logged: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

/** The sequences of the heads of requests. Each is verified as a receiver does: the signature, and what the body says. */
const sequencesOf = (received: readonly Posted[]) =>
  received.map(({ body, headers }) => {
    for (const key of KEYS) new Webhook(key).verify(body, headers)
    const { type, data } = JSON.parse(body) as { type: string; data: { sequence: number; hash: string; note: string } }
    const note = parseNote(data.note)
    const text = typeof note === "string" ? note : parseHeadText(note.text)
    expect([type, text]).toMatchObject(["record.head", { head: { sequence: data.sequence, hash: data.hash } }])
    return data.sequence
  })

/** Makes every unsent head due, as hours do. */
const passHours = (database: Database) => database.write("UPDATE record_head SET due_at = 0")

const attemptsOf = async (database: Database) =>
  (await database.read("SELECT attempts FROM record_head ORDER BY number")).map(({ attempts }) => attempts)

describeStores("heads of the record", ({ newStore }) => {
  test("of two desks that share a store are sent once each, in order, by one desk after the other", async () => {
    const where = await newStore()
    const databases = [await databaseForTest(where), await databaseForTest(where)] as const
    const { url, received } = await startReceiver()
    await signHead(databases[0])
    await signHead(databases[0])
    const one = newSending(databases[0], url)
    const other = newSending(databases[1], url)
    one.sending.start()
    other.sending.start()
    await expect.poll(() => sequencesOf(received)).toEqual([2, 4])
    await signHead(databases[1])
    await expect.poll(() => sequencesOf(received)).toEqual([2, 4, 6])
    await one.sending.finish()
    await signHead(databases[1])
    // The other desk takes the lease at its next look.
    await expect.poll(() => sequencesOf(received), { timeout: 10_000 }).toEqual([2, 4, 6, 8])
    expect(await other.sending.figures()).toMatchObject({ unsent: 0, sentSecondsAgo: expect.any(Number) as number })
  })

  test("wait for a receiver that is away for a day, and leave in order, each under its own id", async () => {
    const database = await databaseForTest(await newStore())
    const { url, received, control } = await startReceiver()
    control.answer = () => 503
    await signHead(database)
    const { sending, logged } = newSending(database, url)
    sending.start()
    // More attempts than a notice has before it is given up.
    for (let attempt = 1; attempt <= 7; attempt++) {
      await passHours(database)
      await expect.poll(() => received.length, { timeout: 10_000 }).toBe(attempt)
      await expect.poll(() => attemptsOf(database)).toContain(attempt)
    }
    await signHead(database)
    await signHead(database)
    const [{ due } = { due: 0 }] = await database.read("SELECT MAX(due_at) AS due FROM record_head")
    expect(Number(due)).toBeGreaterThan(Date.now() + 17_000_000)
    expect(await sending.figures()).toEqual({ unsent: 3, sentSecondsAgo: 0 })
    control.answer = () => 204
    await passHours(database)
    await expect.poll(() => sequencesOf(received.slice(7)), { timeout: 10_000 }).toEqual([2, 4, 6])
    const ids = received.map(({ headers }) => headers["webhook-id"])
    expect(new Set(ids.slice(0, 8)).size).toBe(1)
    expect(new Set(ids).size).toBe(3)
    expect(new Set(received.slice(0, 8).map(({ body }) => body)).size).toBe(1)
    expect(logged().map(({ message }) => message)).toEqual([
      "a head of the record couldn't be sent: the desk tries again",
      "heads of the record are sent again",
    ])
  })
})

test("a receiver that redirects or answers nonsense gets the head again, and no other address does", async () => {
  const database = await sqliteForTest()
  const { url, received, control } = await startReceiver()
  await signHead(database)
  const { sending } = newSending(database, url)
  for (const [index, status] of [302, 307, 404, 500, 304].entries()) {
    control.answer = () => status
    await passHours(database)
    if (index === 0) sending.start()
    await expect.poll(() => attemptsOf(database), { timeout: 10_000 }).toEqual([index + 1])
  }
  expect(new Set(received.map(({ path }) => path))).toEqual(new Set(["/hook"]))
  control.answer = () => 200
  await passHours(database)
  await expect.poll(() => sending.figures(), { timeout: 10_000 }).toMatchObject({ unsent: 0 })
})

test("a receiver that answers 410 gets no more heads until the desk restarts", async () => {
  const database = await sqliteForTest()
  const { url, received, control } = await startReceiver()
  control.answer = () => 410
  await signHead(database)
  const { sending, logged } = newSending(database, url)
  sending.start()
  await expect.poll(() => attemptsOf(database), { timeout: 10_000 }).toEqual([1])
  await passHours(database)
  // The end would send what is due.
  await sending.finish()
  expect(received).toHaveLength(1)
  expect(logged()).toMatchObject([{ message: expect.stringContaining("410") as string, answer: "410" }])
  control.answer = () => 204
  const restarted = newSending(database, url)
  restarted.sending.start()
  await expect.poll(() => restarted.sending.figures(), { timeout: 10_000 }).toMatchObject({ unsent: 0 })
})

test("a receiver that never answers holds neither a freeze nor the end of the desk", async () => {
  const database = await sqliteForTest()
  const { url, received, control } = await startReceiver()
  control.answer = () => "hang"
  await signHead(database)
  const { sending } = newSending(database, url)
  sending.start()
  await expect.poll(() => received.length).toBe(1)
  // Both resolve while the request is open.
  await signHead(database)
  await sending.finish()
  expect(control.atOnce).toBe(1)
  expect(await sending.figures()).toEqual({ unsent: 2, sentSecondsAgo: 0 })
  expect(await database.read("SELECT holder FROM lease")).toEqual([])
})

test("the end sends the last head, which was signed after everything else had stopped", async () => {
  const database = await sqliteForTest()
  const { url, received } = await startReceiver()
  const { sending } = newSending(database, url)
  sending.start()
  await sending.pause()
  await signHead(database)
  await signHead(database)
  await sending.finish()
  expect(sequencesOf(received)).toEqual([2, 4])
})

test("a desk whose clock was set back sends what it has put off", async () => {
  const database = await sqliteForTest()
  const { url, received } = await startReceiver()
  await signHead(database)
  await database.write("UPDATE record_head SET due_at = ?", Date.now() + 30 * 86_400_000)
  newSending(database, url).sending.start()
  await expect.poll(() => sequencesOf(received), { timeout: 10_000 }).toEqual([2])
})
