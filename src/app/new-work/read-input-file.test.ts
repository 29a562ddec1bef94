import { describe, expect, it } from "vitest"
import { readFile, readText } from "./read-input-file.ts"

const fileOf = (content: string | Uint8Array<ArrayBuffer>, name = "a.csv") => new File([content], name)

describe("a chosen file", () => {
  it.each([
    ["a byte order mark", "\uFEFFa,b\n1,2"],
    ["CR LF and a lone CR", "a\r\nb\rc\n"],
    ["NUL", "a\0b"],
    ["bidirectional text and emoji", "שלום \u202Eabc\u202C 👩‍👩‍👧 é e\u0301"],
  ])("is read exactly with %s", async (_, content) => {
    expect(await readFile(fileOf(content))).toMatchObject({ content })
  })

  it("may have 102,400 bytes, and says by how many it is over", async () => {
    expect(await readFile(fileOf("x".repeat(102_400)))).toMatchObject({ bytes: 102_400, content: expect.any(String) })
    expect(await readFile(fileOf("x".repeat(102_401)))).toMatchObject({
      problem: "It's 1 byte too large: the limit is 102,400.",
    })
    expect(await readFile(fileOf("é".repeat(51_201)))).toMatchObject({
      problem: "It's 2 bytes too large: the limit is 102,400.",
    })
  })

  it("is refused when it is empty, or not UTF-8", async () => {
    expect(await readFile(fileOf(""))).toMatchObject({ problem: expect.stringContaining("empty") })
    expect(await readFile(fileOf(new Uint8Array([0x61, 0xff])))).toMatchObject({
      problem: expect.stringContaining("isn't UTF-8"),
    })
    expect(await readFile(fileOf(new Uint8Array([0xed, 0xa0, 0x80])))).toMatchObject({
      problem: expect.stringContaining("isn't UTF-8"),
    })
  })

  it("has a name of at most 120 characters, counted as code points", async () => {
    expect(await readFile(fileOf("x", "😀".repeat(120)))).not.toHaveProperty("problem")
    expect(await readFile(fileOf("x", "😀".repeat(121)))).toMatchObject({
      problem: "Its name is 1 character too long: at most 120.",
    })
  })

  it.each([
    ["rows.CSV", "text/csv"],
    ["data.json", "application/json"],
    ["notes.markdown", "text/markdown"],
    ["LICENSE", undefined],
    ["photo.png", undefined],
  ])("%s is %s", async (name, mediaType) => {
    expect((await readFile(fileOf("x", name))).mediaType).toBe(mediaType)
  })
})

describe("a pasted text", () => {
  it("is refused with half a surrogate pair, which it names", () => {
    expect(readText("pasted.txt", "😀\uD800!")).toMatchObject({
      problem: expect.stringContaining("Character 2 isn't valid Unicode"),
    })
  })
})
