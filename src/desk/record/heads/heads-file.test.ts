import { generateKeyPairSync } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { folderForTest } from "../../store/testing/stores.ts"
import { formatHeadText } from "./head-note.ts"
import { type FoundNote, HeadsFileError, LINE_MAX_BYTES, readNotes } from "./heads-file.ts"
import { signNote } from "./signed-note.ts"

const { privateKey } = generateKeyPairSync("ed25519")

const noteOf = (sequence: number) =>
  signNote(formatHeadText("desk.example", { sequence, hash: "ab".repeat(32) }, sequence), "desk.example", privateKey)
const [one, two, three] = [noteOf(1), noteOf(2), noteOf(3)]
const logLineOf = (note: string) => JSON.stringify({ level: "info", sequence: 2, note, message: "record head" })
const bodyOf = (note: string) => JSON.stringify({ type: "record.head", timestamp: "", data: { sequence: 3, note } })

async function read(content: string | Buffer): Promise<FoundNote[]> {
  const path = join(await folderForTest(), "heads")
  await writeFile(path, content)
  const found: FoundNote[] = []
  for await (const notes of readNotes(path)) found.push(...notes)
  return found
}

const notesOf = (found: readonly FoundNote[]) => found.map((each) => ("note" in each ? each.note : each))

test.each([
  ["notes one after the other", one + two + three],
  ["notes with empty lines between them", [one, two, three].join("\n\n\n")],
  ["notes with the line ends of Windows", (one + two + three).replaceAll("\n", "\r\n")],
  ["notes between other texts", `Dear auditor,\n\n${one}\nand\n\n${two}${three}\nRegards\n`],
  ["lines of a log", [logLineOf(one), '{"message":"other"}', logLineOf(two), logLineOf(three)].join("\n")],
  [
    "lines that another program has put a time before",
    [one, two, three].map((note) => `12:00 ${logLineOf(note)}`).join("\n"),
  ],
  ["posted bodies, without an end of the last line", [one, two, three].map(bodyOf).join("\n")],
  ["all of these", `${logLineOf(one)}\n${two}${bodyOf(three)}`],
  ["texts of another program that have notes", `{"note":"x"}\n${one}{"type":"x","data":{"note":"y"}}\n${two}${three}`],
])("finds %s", async (_, content) => {
  expect(notesOf(await read(content))).toEqual([one, two, three])
})

test("finds notes wherever the pieces end in which the file is read", async () => {
  for (const before of [1_048_576, 2 * 1_048_576]) {
    for (const cut of [1, 100, one.length - 1, one.length, one.length + 1]) {
      const filler = `${"x".repeat(999)}\n`.repeat(before / 1_000).padEnd(before - cut - 1, "y")
      expect(notesOf(await read(`${filler}\n\n${one}${two}`))).toEqual([one, two])
    }
  }
})

test("a line that is too long is reported, and the notes around it are found", async () => {
  const huge = "x".repeat(3 * 1_048_576)
  expect(await read(`${one}${huge}\n\n${two}${logLineOf(three + huge)}\n${three}`)).toEqual([
    { line: 6, note: one },
    { line: 7, isTooLong: true },
    { line: 14, note: two },
    { line: 15, isTooLong: true },
    { line: 21, note: three },
  ])
  const longest = `${"x".repeat(LINE_MAX_BYTES)}\n\n${one}`
  expect(notesOf(await read(longest))).toEqual([one])
})

test("a head without a signature, and a damaged line of the log, are reported", async () => {
  const [text = ""] = one.split("\n\n")
  expect(await read(`${text}\n\n${two}`)).toEqual([
    { line: 5, fault: "it is a head without a signature" },
    { line: 11, note: two },
  ])
  expect(await read(`${logLineOf(one).slice(0, -1)}\n${bodyOf(two).slice(0, -1)}\n`)).toEqual([
    { line: 1, fault: "it is a damaged line of the log" },
    { line: 2, fault: "it is a damaged line of the log" },
  ])
})

test("bytes of any kind are read to their end", async () => {
  const noise = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * index * 7_919) % 256))
  const found = await read(Buffer.concat([noise, Buffer.from(`\n\n${one}`)]))
  expect(found.at(-1)).toMatchObject({ note: one })
})

test("a file without heads is refused", async () => {
  await expect(read("")).rejects.toThrow(
    new HeadsFileError("The file with the heads is empty: no head was received yet"),
  )
  for (const content of ["hello\n", '{"message":"record"}\n', "x".repeat(70_000), "\n\n\n"])
    await expect(read(content)).rejects.toThrow(new HeadsFileError("The file has no signed head"))
  const folder = await folderForTest()
  await mkdir(join(folder, "heads"))
  for (const [name, code] of [
    ["missing", "ENOENT"],
    ["heads", "EISDIR"],
  ] as const) {
    const reading = Array.fromAsync(readNotes(join(folder, name)))
    await expect(reading).rejects.toThrow(new HeadsFileError(`The file with the heads can't be read: ${code}`))
  }
})
