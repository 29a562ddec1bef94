import { describe, expect, it } from "vitest"
import { type PreviewBlocks, textBlocks } from "./preview-blocks.ts"

const textsOf = ({ blocks }: PreviewBlocks) =>
  blocks.map((parts) => parts.map((part) => ("text" in part ? part.text : part.hidden)).join(""))

describe("the blocks of a text", () => {
  it("together are the text, cut at line ends", () => {
    const text = Array.from({ length: 3000 }, (_, index) => `line ${index}`).join("\n")
    const read = textBlocks(text)
    expect(read.blocks.length).toBeGreaterThan(5)
    expect(textsOf(read).join("\n")).toBe(text)
    expect(read.cut).toBe(false)
  })

  it("never cut a character of a very long line", () => {
    const text = "😀".repeat(5000)
    const blocks = textsOf(textBlocks(`x${text}`))
    expect(blocks.every((block) => block.isWellFormed())).toBe(true)
    expect(blocks.join("")).toBe(`x${text}`)
  })

  it("end where invisible characters are too many to be shown", () => {
    const read = textBlocks("\u200B\n".repeat(100_000))
    expect(read.cut).toBe(true)
    expect(textsOf(read).join("").length).toBeLessThan(20_000)
  })
})
