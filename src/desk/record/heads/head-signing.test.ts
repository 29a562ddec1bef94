import { generateKeyPairSync } from "node:crypto"
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { ConfigurationError } from "../../../platform/configuration-error.ts"
import type { Database } from "../../store/database.ts"
import { databaseForTest, describeStores, folderForTest, sqliteForTest } from "../../store/testing/stores.ts"
import { freeze, operator, unfreeze } from "../freezes.ts"
import { inRecord, readHead } from "../hash-chain.ts"
import { ada, creation, DecidingDesk, success } from "../testing/deciding.ts"
import { parseHeadText } from "./head-note.ts"
import { HEADS_KEPT_MS, HeadSigning, type SignedHead } from "./head-signing.ts"
import { type KeyPlace, openRecordKey, readKnownKeys, replaceKey } from "./record-key.ts"
import { isSignedBy, parseNote } from "./signed-note.ts"

const ORIGIN = "desk.example"
const STORE: KeyPlace = { kind: "store" }
const fileIn = (folder: string) =>
  ({ kind: "file", path: join(folder, "record.key"), name: "RECORD_KEY_FILE" }) as const

/** A part of a desk that signs heads, and what it has logged. */
async function startSigning(database: Database, place: KeyPlace = STORE) {
  await openRecordKey(database, place, ORIGIN)
  const logged: SignedHead[] = []
  const failures: unknown[] = []
  const expired: number[] = []
  const signing = new HeadSigning({
    database,
    place,
    origin: ORIGIN,
    onSigned: (head) => logged.push(head),
    onExpired: (unsent) => expired.push(unsent),
    onFailed: (error) => failures.push(error),
  })
  onTestFinished(() => signing.stop())
  return { signing, logged, failures, expired }
}

const freezeDesk = (database: Database, reason: string) =>
  freeze({ database }, operator, { colleague: null, reason }, `request of ${reason}`)

/** The signed heads in the store, each with the names of the keys that have signed it. */
async function readHeads(database: Database) {
  const rows = await database.read("SELECT sequence, note FROM record_head ORDER BY number")
  const keys = await readKnownKeys(database)
  return rows.map(({ sequence, note }) => {
    const parsed = parseNote(String(note))
    if (typeof parsed === "string") throw new Error(parsed)
    const text = parseHeadText(parsed.text)
    if (typeof text === "string") throw new Error(text)
    const signers = keys.filter((key) =>
      parsed.signatures.some((each) => each.keyId === key.id && isSignedBy(parsed.text, each, key)),
    )
    return { sequence, head: text.head, signers: signers.map(({ id }) => id) }
  })
}

const ageHeads = (database: Database, ms: number) =>
  database.write("UPDATE record_head SET signed_at = signed_at - ?", ms)

describeStores("heads of the record", ({ newStore }) => {
  test("are signed when rows have come: at once, after an hour, at a freeze and at the end, but not twice", async () => {
    const database = await databaseForTest(await newStore())
    const desk = new DecidingDesk(database)
    const create = async () => {
      await desk.send(ada, creation(), success({ id: "work_1" }))
      // On a busy machine an answer does not wait for its outcome row.
      await expect.poll(async () => (await readHead(database)).sequence % 2).toBe(0)
    }
    const sequences = async () => (await readHeads(database)).map(({ sequence }) => sequence)
    await create()
    const first = await startSigning(database)
    await expect.poll(sequences).toEqual([2])

    // A row that comes within the hour waits. A freeze doesn't.
    await create()
    await freezeDesk(database, "Wild")
    await expect.poll(sequences, { timeout: 10_000 }).toEqual([2, 6])
    await unfreeze({ database }, operator, null, "request of the end")
    await first.signing.stop()
    expect(await sequences()).toEqual([2, 6, 8])

    // Nothing has come since, so a restart after an hour signs nothing, and the next row does.
    await ageHeads(database, 3_600_000)
    const second = await startSigning(database)
    await second.signing.stop()
    expect(await sequences()).toEqual([2, 6, 8])
    await create()
    await startSigning(database)
    await expect.poll(sequences).toEqual([2, 6, 8, 10])
    expect([...first.logged, ...second.logged].map(({ sequence }) => sequence)).toEqual([2, 6, 8])

    const heads = await readHeads(database)
    const rows = await database.read("SELECT sequence, hash FROM record")
    expect(rows).toEqual(expect.arrayContaining(heads.map(({ head }) => head)))
    expect(new Set(heads.flatMap(({ signers }) => signers)).size).toBe(1)
    expect(heads.every(({ signers }) => signers.length === 1)).toBe(true)
    expect(first.failures).toEqual([])
  })

  test("of two desks that share a store are signed once each, by one key", async () => {
    const where = await newStore()
    const databases = [await databaseForTest(where), await databaseForTest(where)] as const
    const place = where.databaseUrl === undefined ? fileIn(await folderForTest()) : STORE
    const opened = await Promise.all(databases.map((database) => openRecordKey(database, place, ORIGIN)))
    expect(new Set(opened.map(({ text }) => text)).size).toBe(1)
    const desks = [await startSigning(databases[0], place), await startSigning(databases[1], place)]
    for (const reason of ["one", "two", "three"]) await freezeDesk(databases[0], reason)
    await expect.poll(async () => (await readHeads(databases[1])).at(-1)?.sequence, { timeout: 10_000 }).toBe(6)
    await Promise.all(desks.map(({ signing }) => signing.stop()))
    const sequences = (await readHeads(databases[0])).map(({ sequence }) => sequence)
    expect(sequences).toEqual([...new Set(sequences)])
    expect(desks.flatMap(({ logged }) => logged)).toHaveLength(sequences.length)
    expect(await readKnownKeys(databases[0])).toHaveLength(1)
  })

  test("stay valid under another key, which the next head is signed with", async () => {
    const database = await databaseForTest(await newStore())
    const { signing, failures } = await startSigning(database)
    await freezeDesk(database, "one")
    await expect.poll(async () => (await readHeads(database)).length, { timeout: 10_000 }).toBe(1)
    const { id } = await replaceKey(database, STORE, ORIGIN)
    await unfreeze({ database }, operator, null, "request of the end")
    await signing.stop()
    const heads = await readHeads(database)
    expect(heads.map(({ signers }) => signers.length)).toEqual([1, 1])
    expect(heads[1]?.signers).toEqual([id])
    expect(heads[0]?.signers).not.toEqual([id])
    // The lost key is not in the store any more.
    const kept = await database.read("SELECT verifier FROM record_key WHERE private_key IS NOT NULL")
    expect(kept).toEqual([{ verifier: expect.stringContaining(id) as string }])
    expect(failures).toEqual([])
  })

  test("are removed after 30 days, except the newest, and unsent ones are counted", async () => {
    const database = await databaseForTest(await newStore())
    const { signing, expired } = await startSigning(database)
    await freezeDesk(database, "one")
    await expect.poll(async () => (await readHeads(database)).length, { timeout: 10_000 }).toBe(1)
    await ageHeads(database, HEADS_KEPT_MS + 1)
    await freezeDesk(database, "two")
    await expect
      .poll(async () => (await readHeads(database)).map(({ sequence }) => sequence), { timeout: 10_000 })
      .toEqual([4])
    await signing.stop()
    expect(expired).toEqual([1])
  })
})

test("a desk of a name that has changed and changed back signs with the key of its name", async () => {
  const database = await sqliteForTest()
  const place = fileIn(await folderForTest())
  const first = await openRecordKey(database, place, "one.example")
  const second = await openRecordKey(database, place, "two.example")
  expect((await readKnownKeys(database)).map(({ text }) => text)).toEqual([second.text, first.text])
  await openRecordKey(database, place, "one.example")
  expect((await readKnownKeys(database)).map(({ text }) => text)).toEqual([first.text, second.text])
})

test("the first start makes a key that only its user can read, and leaves no other file", async () => {
  const folder = await folderForTest()
  const place = fileIn(folder)
  const desks = [await sqliteForTest(), await sqliteForTest(), await sqliteForTest()]
  // Several first starts at once, as of desks that share a file.
  const keys = await Promise.all(desks.map((database) => openRecordKey(database, place, ORIGIN)))
  expect(new Set(keys.map(({ text }) => text)).size).toBe(1)
  expect((await stat(place.path)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(["record.key"])
  expect(await readFile(place.path, "utf8")).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
})

test("a key that is lost is not replaced in silence", async () => {
  const database = await sqliteForTest()
  const place = fileIn(await folderForTest())
  const { text } = await openRecordKey(database, place, ORIGIN)
  await rm(place.path)
  await expect(openRecordKey(database, place, ORIGIN)).rejects.toThrow(
    "RECORD_KEY_FILE is missing: put it back, or begin another key with npm run record -- key --new",
  )
  // Nor when the file is not configured any more.
  await expect(openRecordKey(database, STORE, ORIGIN)).rejects.toThrow(/set RECORD_KEY_FILE: put it back/)
  const next = await replaceKey(database, place, ORIGIN)
  expect(next.text).not.toBe(text)
  expect((await openRecordKey(database, place, ORIGIN)).text).toBe(next.text)
})

const pemOf = (type: "rsa" | "x25519") => {
  const { privateKey } =
    type === "rsa" ? generateKeyPairSync("rsa", { modulusLength: 1_024 }) : generateKeyPairSync("x25519")
  return privateKey.export({ type: "pkcs8", format: "pem" })
}

test.each([
  ["an RSA key", () => pemOf("rsa"), "RECORD_KEY_FILE isn't an Ed25519 key"],
  ["an X25519 key", () => pemOf("x25519"), "RECORD_KEY_FILE isn't an Ed25519 key"],
  ["half a key", () => pemOf("x25519").slice(0, 60), "RECORD_KEY_FILE isn't a private key in PEM form"],
  ["nothing", () => "", "RECORD_KEY_FILE isn't a private key in PEM form"],
])("a file with %s is refused, and left alone", async (_, contentOf, message) => {
  const place = fileIn(await folderForTest())
  const content = contentOf()
  await writeFile(place.path, content, { mode: 0o600 })
  await expect(openRecordKey(await sqliteForTest(), place, ORIGIN)).rejects.toThrow(new ConfigurationError(message))
  expect(await readFile(place.path, "utf8")).toBe(content)
})

test("a key file that others can read is refused, and so is a folder in its place", async () => {
  const database = await sqliteForTest()
  const place = fileIn(await folderForTest())
  await openRecordKey(database, place, ORIGIN)
  for (const mode of [0o604, 0o622, 0o601]) {
    await chmod(place.path, mode)
    await expect(openRecordKey(database, place, ORIGIN)).rejects.toThrow("RECORD_KEY_FILE can be read by other users")
  }
  await rm(place.path)
  await mkdir(place.path, { mode: 0o700 })
  await expect(openRecordKey(database, place, ORIGIN)).rejects.toThrow("RECORD_KEY_FILE must be a file")
  const elsewhere = { ...place, path: join(place.path, "missing", "record.key") }
  await expect(openRecordKey(await sqliteForTest(), elsewhere, ORIGIN)).rejects.toThrow(
    "RECORD_KEY_FILE can't be written: ENOENT",
  )
})

test("while the key can't be used, the desk says so and works, and the next look signs", async () => {
  const database = await sqliteForTest()
  const place = fileIn(await folderForTest())
  const { failures, logged } = await startSigning(database, place)
  await chmod(place.path, 0o666)
  await freezeDesk(database, "Wild")
  await expect.poll(() => failures.length, { timeout: 10_000 }).toBeGreaterThan(0)
  await inRecord({ database }, async ({ append }) => {
    await append({ kind: "checkpoint", archived: { sequence: 1, hash: "0".repeat(64) } })
  })
  expect(logged).toEqual([])
  await chmod(place.path, 0o600)
  await expect.poll(() => logged.length, { timeout: 10_000 }).toBe(1)
})
