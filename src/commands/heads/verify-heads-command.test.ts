import { generateKeyPairSync } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { freeze, operator, unfreeze } from "../../desk/record/freezes.ts"
import { hashOf, readHead } from "../../desk/record/hash-chain.ts"
import { formatHeadText } from "../../desk/record/heads/head-note.ts"
import { openRecordKey, readKeyPlace, readKey } from "../../desk/record/heads/record-key.ts"
import { signNote } from "../../desk/record/heads/signed-note.ts"
import type { Database } from "../../desk/store/database.ts"
import { databaseForTest, describeStores, folderForTest, type NewStore } from "../../desk/store/testing/stores.ts"
import { runOnStore } from "../testing/run-command.ts"

const ORIGIN = "workdesk-local"
const AT = Date.UTC(2026, 10, 29, 12)

/** A record whose heads somebody else keeps: `sign` returns the note of the present head. */
async function keptRecord(where: NewStore) {
  const dataFolder = where.databaseUrl === undefined ? where.dataFolder : await folderForTest()
  const database = await databaseForTest(where)
  const place = readKeyPlace({}, { dataFolder, databaseUrl: where.databaseUrl })
  await openRecordKey(database, place, ORIGIN)
  const sign = async () =>
    signNote(formatHeadText(ORIGIN, await readHead(database), AT), ORIGIN, await readKey(database, place))
  /** Appends two rows. */
  const act = async (reason: string) =>
    freeze({ database }, operator, { colleague: null, reason }, `request of ${reason}`)
  const verifyWith = async (...notes: readonly string[]) => {
    const file = join(await folderForTest(), "heads")
    await writeFile(file, notes.join(""))
    const { code, stdout, stderr } = await runOnStore("record", where, ["verify", "--heads", file])
    return { code, lines: stdout.trimEnd().split("\n"), stderr }
  }
  return { database, place, sign, act, verifyWith }
}

/** Rewrites a row as somebody does who can write to the store: with new hashes up to the end of the chain. */
async function rewrite(database: Database, sequence: number, change: (entry: string) => string) {
  const rows = await database.read(
    "SELECT sequence, entry, hash FROM record WHERE sequence >= ? ORDER BY sequence",
    sequence,
  )
  let replaced: { readonly old: string; readonly hash: string } | undefined
  for (const row of rows) {
    const old = String(row["hash"])
    const entry: string =
      replaced === undefined ? change(String(row["entry"])) : String(row["entry"]).replace(replaced.old, replaced.hash)
    const hash = hashOf(entry)
    await database.write(
      "UPDATE record SET entry = ?, hash = ? WHERE sequence = ?",
      entry,
      hash,
      Number(row["sequence"]),
    )
    replaced = { old, hash }
  }
}

const found = (heads: number) => `${heads} head${heads === 1 ? "" : "s"} found in the record, signed by its key.`
const DISAGREES = "The record doesn't agree with its heads."

describeStores("npm run record -- verify --heads", ({ newStore }) => {
  test("confirms a record up to the newest head, and finds a rewritten row only with a head", async () => {
    const { database, sign, act, verifyWith } = await keptRecord(await newStore())
    const notes: string[] = []
    for (const reason of ["one", "two", "three"]) {
      await act(reason)
      notes.push(await sign())
    }
    expect(await verifyWith(...notes)).toEqual({
      code: 0,
      stderr: "",
      lines: [found(3), "Nothing up to row 6 has changed since that row's head was signed (2026-11-29T12:00:00.000Z)."],
    })
    await rewrite(database, 3, (entry) => entry.replace('"summary":"two"', '"summary":"too"'))
    // The chain alone, and a head of an earlier row, show nothing.
    expect(await verifyWith(notes[0] ?? "")).toMatchObject({ code: 0 })
    expect(await verifyWith(...notes)).toEqual({
      code: 1,
      stderr: "",
      lines: [
        "Line 12: row 4 has another hash than its head.",
        "Line 18: row 6 has another hash than its head.",
        "The record was rewritten. At least one of the rows 3 to 4 was changed after its head was signed.",
        found(1),
        DISAGREES,
      ],
    })
    // The heads may come in any order, and more than once.
    const { lines } = await verifyWith(...notes.toReversed(), ...notes)
    expect(lines).toContain(
      "The record was rewritten. At least one of the rows 3 to 4 was changed after its head was signed.",
    )
  })

  test("finds rows that were removed at the end, and a change without new hashes", async () => {
    const { database, sign, act, verifyWith } = await keptRecord(await newStore())
    await act("one")
    const first = await sign()
    await act("two")
    const second = await sign()
    await database.write("DELETE FROM record WHERE sequence > 3")
    expect(await verifyWith(first, second)).toMatchObject({
      code: 1,
      lines: [
        "Line 12: the head of row 4 is newer than the record, which ends with row 3. Rows were removed, or an older backup was restored.",
        found(1),
        DISAGREES,
      ],
    })
    await database.write("DELETE FROM record WHERE sequence = 2")
    expect((await verifyWith(first)).lines).toEqual([
      "Row 2 was removed.",
      "Line 6: row 2, which has a head, was removed.",
      found(0),
      "The heads prove nothing about this record.",
    ])
  })

  test("compares the head of an archive's last row, and names the archive of others", async () => {
    const where = await newStore()
    const { database, sign, act, verifyWith } = await keptRecord(where)
    await act("one")
    const inside = await sign()
    await act("two")
    await database.write("UPDATE record SET at = at - 86400000 * 3")
    const end = await sign()
    const file = join(await folderForTest(), "archive.jsonl")
    // The time in the search column is not hashed, but the archive refuses a changed one.
    await database.write("UPDATE record SET at = at + 86400000 * 3")
    await runOnStore("record", where, ["archive", file, "--before", "2999-01-01"])
    await unfreeze({ database }, operator, null, "request of the end")
    const after = await sign()
    expect(await verifyWith(inside, end, after)).toMatchObject({
      code: 0,
      lines: [
        "1 head of archived rows not compared: the archive file that ends with row 4 has these rows.",
        found(2),
        "Nothing up to row 7 has changed since that row's head was signed (2026-11-29T12:00:00.000Z).",
      ],
    })
    expect(await verifyWith(inside)).toMatchObject({ code: 1 })
  })
})

describe("npm run record -- verify --heads, with heads that", () => {
  const newRecord = async () => {
    const dataFolder = await folderForTest()
    const record = await keptRecord({ dataFolder, databaseUrl: undefined })
    await record.act("one")
    return { ...record, where: { dataFolder, databaseUrl: undefined } }
  }

  test("an unknown key has signed: they are compared, and prove nothing", async () => {
    const { database, sign, verifyWith } = await newRecord()
    const { privateKey } = generateKeyPairSync("ed25519")
    const head = await readHead(database)
    const unknown = signNote(formatHeadText(ORIGIN, head, AT), ORIGIN, privateKey)
    const [remark = ""] = (await verifyWith(unknown)).lines
    expect(remark).toMatch(
      /^1 head signed by a key that this record doesn't know \(workdesk-local, [0-9a-f]{8}\): no proof without a known signature\.$/,
    )
    expect(await verifyWith(unknown)).toMatchObject({
      code: 1,
      lines: [
        remark,
        "1 head of unknown keys found in the record.",
        found(0),
        "The heads prove nothing about this record.",
      ],
    })
    expect(await verifyWith(unknown, await sign())).toMatchObject({ code: 0 })
    const other = signNote(formatHeadText(ORIGIN, { ...head, hash: "0".repeat(64) }, AT), ORIGIN, privateKey)
    expect(await verifyWith(other, await sign())).toMatchObject({
      code: 1,
      lines: [
        "Line 6: row 2 has another hash than its head, which an unknown key has signed.",
        expect.stringMatching(/^1 head signed by a key/) as string,
        found(1),
        DISAGREES,
      ],
    })
  })

  test("were changed, or name another origin: they are refused", async () => {
    const { sign, verifyWith, place, database } = await newRecord()
    const note = await sign()
    expect(await verifyWith(note.replace("12:00", "12:01"), note)).toMatchObject({
      code: 1,
      lines: ["Line 6: the signature of the head of row 2 is wrong.", found(1), DISAGREES],
    })
    const text = formatHeadText("elsewhere.example", await readHead(database), AT)
    const foreign = signNote(text, ORIGIN, await readKey(database, place))
    expect(await verifyWith(foreign)).toMatchObject({ code: 1, lines: expect.arrayContaining([found(0)]) as string[] })
  })

  test("are hostile: each is named by its line, with nothing of it that could deceive a terminal", async () => {
    const { sign, verifyWith } = await newRecord()
    const note = await sign()
    const { code, lines } = await verifyWith(
      note.replace(/\n2\n/, "\n0\n"),
      note.replace(/\n2\n/, `\n${"9".repeat(30)}\n`),
      note.replace(/(\n2\n)\S+/, "$1%%%"),
      note.replace(ORIGIN, "a\0b"),
      note.replace(/(— \S+ )\S+/, "$1!!!"),
      `${"x".repeat(2_000_000)}\n`,
      note.replaceAll(ORIGIN, "\u202Eevil\u001b[2J"),
      note,
    )
    expect(code).toBe(1)
    expect(lines).toEqual([
      "Line 6 has no valid head: its size is 0, and an empty record has no head.",
      "Line 12 has no valid head: its size is too large.",
      "Line 18 has no valid head: its root is not the base64 of 32 bytes.",
      "Line 24 has no valid head: it contains control characters.",
      "Line 30 has no valid head: a line with its signature is not valid.",
      "Line 37 has no valid head: it contains control characters.",
      "1 line longer than 65,536 bytes not read.",
      found(1),
      DISAGREES,
    ])
  })

  test("are missing: the file says why in one line", async () => {
    const { verifyWith, where } = await newRecord()
    expect(await verifyWith("")).toMatchObject({
      code: 1,
      stderr: "workdesk: The file with the heads is empty: no head was received yet\n",
    })
    expect(await verifyWith("no head\n")).toMatchObject({ code: 1, stderr: "workdesk: The file has no signed head\n" })
    expect(await runOnStore("record", where, ["verify", "--heads", "/missing"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "workdesk: The file with the heads can't be read: ENOENT\n",
    })
    expect(await runOnStore("record", where, ["verify", "--heads"])).toMatchObject({ code: 2 })
  })

  test("stay with others while a backup is restored: the record is older, and then has another history", async () => {
    const { database, sign, act, verifyWith } = await newRecord()
    const before = await sign()
    await act("lost")
    const lost = await sign()
    // A restore does the same to the record.
    await database.write("DELETE FROM record WHERE sequence > 2")
    await database.write("DELETE FROM unlogged_row WHERE sequence > 2")
    expect((await verifyWith(before, lost)).lines[0]).toContain("the head of row 4 is newer than the record")
    await act("again")
    await act("and again")
    const after = await sign()
    expect((await verifyWith(before, lost, after)).lines).toEqual([
      "Line 12: row 4 has another hash than its head.",
      "The head of row 6 matches although that of row 4 doesn't. The desk has signed two histories, as after an older backup was restored.",
      found(2),
      DISAGREES,
    ])
  })
})
