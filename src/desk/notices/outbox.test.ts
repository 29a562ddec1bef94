import { expect, onTestFinished, test } from "vitest"
import { PostgresServer } from "../store/testing/postgres.ts"
import { changedDatabase, databaseForTest, describeStores, type NewStore } from "../store/testing/stores.ts"
import type { NewDelivery } from "./channel.ts"
import { releaseLease, LEASE_MS, acquireLease } from "./lease.ts"
import { addDeliveries } from "./new-deliveries.ts"
import { LeaseLostError, Outbox } from "./outbox.ts"
import { itemForTest as item } from "./testing/items.ts"
import { listUnsent, unsentFigures } from "./unsent.ts"
import { isPerson, makeToken, readToken, readTokenKey } from "./unsubscribe.ts"
import type { WaitingItem } from "./waiting-items.ts"

const DAY = 86_400_000

const MAIL = { name: "mail", order: "any" } as const
const EVENTS = { name: "webhook", order: "by-item" } as const

const to = (recipient: string, step: string, ...items: readonly WaitingItem[]): NewDelivery => ({
  recipient,
  notices: items.map(({ known }) => ({ item: known, step })),
})
const mailOf = (recipient: string, ...items: readonly WaitingItem[]) => to(recipient, "told", ...items)

/** The outbox of the desk `one`, which holds the lease. */
async function openOutbox(store: NewStore, now = Date.now()) {
  const database = await databaseForTest(store)
  await acquireLease(database, "one", now)
  await readTokenKey(database)
  return { database, outbox: new Outbox(database, "one") }
}

describeStores("the outbox", ({ newStore }) => {
  test("of two desks one holds the lease, and the other takes over when it has run out", async () => {
    const database = await databaseForTest(await newStore())
    const now = Date.now()
    expect(await acquireLease(database, "one", now)).toBe(true)
    expect(await acquireLease(database, "two", now + 1_000)).toBe(false)
    expect(await acquireLease(database, "one", now + 2_000)).toBe(true)
    expect(await acquireLease(database, "two", now + 2_000 + LEASE_MS)).toBe(true)
    expect(await acquireLease(database, "one", now + 2_000 + LEASE_MS)).toBe(false)
    await releaseLease(database, "two")
    expect(await acquireLease(database, "one", now)).toBe(true)
    await expect(new Outbox(database, "two").change(() => Promise.resolve())).rejects.toBeInstanceOf(LeaseLostError)
  })

  test("tells each step of an item in a version to a recipient once, also through two desks", async () => {
    const { database, outbox } = await openOutbox(await newStore())
    const many = Array.from({ length: 120 }, (_, index) => item(`many ${index}`))
    const add = (...made: NewDelivery[]) => addDeliveries(outbox, MAIL, made, 1)
    await add(mailOf("ada", item("a"), ...many), mailOf("ben", item("a")), mailOf("ada", item("a")))
    await add(mailOf("ada", item("a"), item("b")), mailOf("ada", item("a", { version: "2" })))
    const taken = await outbox.leaseDue(MAIL, { now: Date.now(), limit: 10, underWay: [] })
    expect(taken.map(({ recipient }) => recipient)).toEqual(["ada", "ben", "ada", "ada"])
    expect(new Set(taken.map(({ id }) => id)).size).toBe(4)
    const told = await Promise.all(taken.map((delivery) => outbox.noticesOf(MAIL, delivery)))
    expect(told.map((notices) => notices?.length)).toEqual([121, 1, 1, 1])
    expect(told[2]).toEqual([{ workId: "work b", itemId: "b", version: "1", step: "told" }])
    // What is being sent is not taken again: not by this desk, and not by another before it has run out.
    const underWay = taken.map(({ sequence }) => sequence)
    expect(await outbox.leaseDue(MAIL, { now: Date.now(), limit: 10, underWay })).toEqual([])
    await outbox.renewLeases(underWay.slice(1), Date.now() + LEASE_MS)
    await acquireLease(database, "two", Date.now() + LEASE_MS)
    const other = new Outbox(database, "two")
    expect(await other.leaseDue(MAIL, { now: Date.now(), limit: 10, underWay: [] })).toEqual([])
    expect(await other.leaseDue(MAIL, { now: Date.now() + LEASE_MS, limit: 10, underWay: [] })).toMatchObject([
      { id: taken[0]?.id },
    ])
  })

  test("tells a step once that two equal rules ask for", async () => {
    const { database, outbox } = await openOutbox(await newStore())
    await addDeliveries(outbox, MAIL, [to("ada", "escalated r", item("a"), item("a"))], 1)
    expect(await database.read("SELECT item_id, delivery FROM notice")).toEqual([{ item_id: "a", delivery: 1 }])
  })

  test("events of one item leave in order, a newer one replaces an older one, and what comes back is told again", async () => {
    const { database, outbox } = await openOutbox(await newStore())
    const now = Date.now()
    const events = () =>
      database.read("SELECT step, outcome FROM notice JOIN notice_delivery ON sequence = delivery ORDER BY sequence")
    const waiting = (version: string) => ({ ...to("webhook", "waiting", item("a", { version })), endStep: "resolved" })
    await addDeliveries(outbox, EVENTS, [waiting("1"), to("webhook", "waiting", item("b"))], now)
    const [first, other] = await outbox.leaseDue(EVENTS, { now, limit: 10, underWay: [] })
    if (first === undefined || other === undefined) throw new Error("nothing was taken")
    await addDeliveries(outbox, EVENTS, [waiting("2")], now)
    const underWay = [first.sequence, other.sequence]
    expect(await outbox.leaseDue(EVENTS, { now, limit: 10, underWay })).toEqual([])
    // The first fails, so it is dropped, and the newer one need not wait for its next try.
    expect(await outbox.storeResult(EVENTS, first, { kind: "failed", answer: "500" })).toMatchObject({
      outcome: "dropped",
    })
    const [second] = await outbox.leaseDue(EVENTS, { now, limit: 10, underWay })
    if (second === undefined) throw new Error("nothing was taken")
    await outbox.storeResult(EVENTS, second, { kind: "sent", answer: "204" })
    const ended = to("webhook", "resolved", item("a", { version: "2" }))
    await addDeliveries(outbox, EVENTS, [ended], now)
    // It has come back, but its end has not left.
    const again = waiting("2")
    await addDeliveries(outbox, EVENTS, [again], now)
    const [end, ...others] = await outbox.leaseDue(EVENTS, { now, limit: 10, underWay: [other.sequence] })
    if (end === undefined) throw new Error("nothing was taken")
    expect(others).toEqual([])
    await outbox.storeResult(EVENTS, end, { kind: "sent", answer: "204" })
    expect(await events()).toHaveLength(4)
    await addDeliveries(outbox, EVENTS, [again], now)
    expect(await outbox.leaseDue(EVENTS, { now, limit: 10, underWay: [other.sequence] })).toHaveLength(1)
    await addDeliveries(outbox, EVENTS, [again], now)
    expect((await events()).map(({ step }) => step)).toEqual(["waiting", "waiting"])
  })

  test("ends, postpones and forgets after 30 days, but not what was told of an item that still waits", async () => {
    const now = Date.now()
    const { database, outbox } = await openOutbox(await newStore(), now)
    await addDeliveries(
      outbox,
      MAIL,
      [mailOf("ada", item("waits")), mailOf("ada", item("gone")), mailOf("ben", item("late"))],
      now,
    )
    const [waits, gone, late] = await outbox.leaseDue(MAIL, { now, limit: 10, underWay: [] })
    if (waits === undefined || gone === undefined || late === undefined) throw new Error("nothing was taken")
    await outbox.storeResult(MAIL, waits, { kind: "sent", answer: "250" })
    await outbox.storeResult(MAIL, gone, { kind: "sent", answer: "250" })
    expect(await outbox.storeResult(MAIL, late, { kind: "failed", answer: "451" })).toEqual({
      outcome: "failed",
      isGivenUp: false,
    })
    expect(await outbox.leaseDue(MAIL, { now, limit: 10, underWay: [] })).toEqual([])
    expect(await unsentFigures(database, now + 2_000)).toMatchObject({
      mail: { unsent: 1, oldestSeconds: 2 },
      webhook: { unsent: 0, oldestSeconds: 0 },
    })
    expect(await listUnsent(database)).toEqual([
      `mail to ben, unsent since ${new Date(now).toISOString()}, 1 failed attempt, last answer: 451`,
    ])
    // The next try counts from when the result was stored, which may be long after `now`.
    expect(await outbox.leaseDue(MAIL, { now: Date.now() + 5_000, limit: 10, underWay: [] })).toMatchObject([
      { attempts: 1, id: late.id },
    ])
    await database.write(
      `INSERT INTO noticed_item (work_id, item_id, kind, version, colleague, priority, created_at, seen_at)
       VALUES ('work waits', 'waits', 'approval', '1', 'analyst', 'normal', '', 0)`,
    )
    await outbox.prune(now + 31 * DAY)
    expect(await database.read("SELECT item_id FROM notice ORDER BY item_id")).toEqual([
      { item_id: "late" },
      { item_id: "waits" },
    ])
    expect(await database.read("SELECT id FROM notice_delivery ORDER BY sequence")).toEqual([
      { id: waits.id },
      { id: late.id },
    ])
  })

  test("keeps news of own Work for somebody who is away for 90 days and then has not signed in for 30", async () => {
    const now = Date.now()
    const { database, outbox } = await openOutbox(await newStore(), now)
    for (const days of [119, 121])
      await database.write(
        `INSERT INTO notice (channel, recipient, work_id, item_id, version, step, urgent, seen_at)
         VALUES ('mail', 'ada', ?, '', '', 'own done', 0, ?)`,
        String(days),
        now - days * DAY,
      )
    await outbox.prune(now)
    expect(await database.read("SELECT work_id FROM notice")).toEqual([{ work_id: "119" }])
  })

  test("a token names one person for 90 days, and the key is the store's", async () => {
    const database = await databaseForTest(await newStore())
    const [key, same] = await Promise.all([readTokenKey(database), readTokenKey(database)])
    expect(same.equals(key)).toBe(true)
    const token = makeToken(key, "ada", 0)
    expect(readToken(key, token, 89 * DAY)).toBe("ada")
    expect(readToken(key, token, 91 * DAY)).toBeUndefined()
    expect(readToken(Buffer.alloc(32), token, 0)).toBeUndefined()
    const [claim = "", , signature = ""] = token.split(".")
    expect(readToken(key, `${claim}.9999999999.${signature}`, 0)).toBeUndefined()
    expect(await isPerson(database, "ada")).toBe(false)
  })
})

test("PostgreSQL does not join all notices to find the events that may leave", async () => {
  const server = await PostgresServer.start()
  onTestFinished(() => server.stop())
  const { database } = await openOutbox({ dataFolder: "/unused", databaseUrl: await server.newDatabase() })
  const fill = async (channel: string, notices: number, perDelivery: number, settledAt: number | null) => {
    const [desk] = await database.read("SELECT COALESCE(MAX(sequence), 0) AS last FROM notice_delivery")
    const after = Number(desk?.["last"])
    await database.write(
      `INSERT INTO notice_delivery (sequence, id, channel, recipient, made_at, due_at, attempts, settled_at)
       SELECT n + ${after}, '', '${channel}', '', 0, 0, 0, ? FROM generate_series(1, ${notices / perDelivery}) AS n`,
      settledAt,
    )
    await database.write(
      `INSERT INTO notice (channel, recipient, work_id, item_id, version, step, delivery)
       SELECT '${channel}', n / ${perDelivery}, 'w' || n % 600, 'a' || n % 600, '1', ?, ${after} + 1 + n / ${perDelivery}
       FROM generate_series(0, ${notices - 1}) AS n`,
      `step ${after}`,
    )
  }
  await fill("mail", 24_000, 600, 0)
  await fill("webhook", 500, 1, 0)
  await fill("webhook", 160, 1, null)
  await database.write("ANALYZE notice")
  await database.write("ANALYZE notice_delivery")
  const plans: string[] = []
  const explained = changedDatabase(database, {
    read: async (sql, ...values) => {
      plans.push(JSON.stringify(await database.read(`EXPLAIN ${sql}`, ...values)))
      return database.read(sql, ...values)
    },
  })
  expect(await new Outbox(explained, "one").leaseDue(EVENTS, { now: Date.now(), limit: 4, underWay: [] })).toHaveLength(
    4,
  )
  expect(plans).toHaveLength(1)
  expect(plans[0]).not.toContain("Anti Join")
})
