import { expect, test } from "vitest"
import { databaseForTest, describeStores } from "../store/testing/stores.ts"
import type { DueMail, WaitingNotice } from "./due.ts"
import { giveLeaseBack, LEASE_MS, takeLease } from "./lease.ts"
import { LeaseLostError, Outbox } from "./outbox.ts"
import { listUnsent, unsentFigures } from "./unsent.ts"
import { isPerson, makeToken, readToken, readTokenKey } from "./unsubscribe.ts"

const DAY = 86_400_000

const item = (itemId: string, version = "1"): WaitingNotice => ({
  kind: "approval",
  workId: `work ${itemId}`,
  itemId,
  version,
  colleague: "analyst",
  priority: "normal",
  createdAt: "",
  since: 0,
  seenAt: 0,
  ablePeople: () => [],
  mayDecide: () => true,
  escalations: [],
})

const mailOf = (recipient: string, ...items: WaitingNotice[]): DueMail => ({
  recipient,
  person: undefined,
  items: items.map((waiting) => ({ item: waiting, steps: ["told"] })),
})

async function addMails(outbox: Outbox, mails: readonly DueMail[], now = 1): Promise<void> {
  for (const mail of mails) await outbox.addMail(mail, now)
}

describeStores("the outbox", ({ newStore }) => {
  test("of two desks one holds the lease, and the other takes over when it has run out", async () => {
    const database = await databaseForTest(await newStore())
    const now = Date.now()
    expect(await takeLease(database, "one", now)).toBe(true)
    expect(await takeLease(database, "two", now + 1_000)).toBe(false)
    expect(await takeLease(database, "one", now + 2_000)).toBe(true)
    expect(await takeLease(database, "two", now + 2_000 + LEASE_MS)).toBe(true)
    expect(await takeLease(database, "one", now + 2_000 + LEASE_MS)).toBe(false)
    await giveLeaseBack(database, "two")
    expect(await takeLease(database, "one", now)).toBe(true)
    await expect(new Outbox(database, "two").change(() => Promise.resolve())).rejects.toBeInstanceOf(LeaseLostError)
  })

  test("tells each step of an item in a version to a recipient once, also through two desks", async () => {
    const database = await databaseForTest(await newStore())
    await takeLease(database, "one", Date.now())
    const outbox = new Outbox(database, "one")
    const many = Array.from({ length: 120 }, (_, index) => item(`many ${index}`))
    const add = (...mails: DueMail[]) => addMails(outbox, mails)
    await add(mailOf("ada", item("a"), ...many), mailOf("ben", item("a")), mailOf("ada", item("a")))
    await add(mailOf("ada", item("a"), item("b")), mailOf("ada", item("a", "2")))
    const taken = await outbox.take("mail", Date.now(), 10)
    expect(taken.map(({ recipient }) => recipient)).toEqual(["ada", "ben", "ada", "ada"])
    expect(new Set(taken.map(({ id }) => id)).size).toBe(4)
    const told = await Promise.all(taken.map((delivery) => outbox.noticesOf(delivery)))
    expect(told.map(({ length }) => length)).toEqual([121, 1, 1, 1])
    expect(told[2]).toEqual([{ workId: "work b", itemId: "b", version: "1", step: "told" }])
    // What is being sent is not taken again before its lease has run out.
    expect(await outbox.take("mail", Date.now(), 10)).toEqual([])
    await outbox.renew(Date.now() + LEASE_MS)
    expect(await outbox.take("mail", Date.now() + LEASE_MS, 10)).toEqual([])
  })

  test("settles, postpones and forgets after 30 days, but not what was told of an item that still waits", async () => {
    const database = await databaseForTest(await newStore())
    const now = Date.now()
    await takeLease(database, "one", now)
    const outbox = new Outbox(database, "one")
    await addMails(
      outbox,
      [mailOf("ada", item("waits")), mailOf("ada", item("gone")), mailOf("ben", item("late"))],
      now,
    )
    const [waits, gone, late] = await outbox.take("mail", now, 10)
    if (waits === undefined || gone === undefined || late === undefined) throw new Error("nothing was taken")
    await outbox.settle(waits, "sent", "250")
    await outbox.settle(gone, "sent", "250")
    await outbox.postpone(late, now + 5_000, 1, "451")
    expect(await outbox.take("mail", now, 10)).toEqual([])
    expect(await unsentFigures(database, now + 2_000)).toEqual({
      mail: { unsent: 1, oldestSeconds: 2 },
      webhook: { unsent: 0, oldestSeconds: 0 },
    })
    expect(await listUnsent(database)).toEqual([
      `mail to ben, unsent since ${new Date(now).toISOString()}, 1 failed attempt, last answer: 451`,
    ])
    expect(await outbox.take("mail", now + 5_000, 10)).toMatchObject([{ attempts: 1, id: late.id }])
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
