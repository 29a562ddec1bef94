import { describe, expect, it } from "vitest"
import { textBlocks } from "./preview-text.tsx"

describe("the blocks of a text", () => {
  it("together are the text, cut at line ends", () => {
    const text = Array.from({ length: 3000 }, (_, index) => `line ${index}`).join("\n")
    const { blocks, cut } = textBlocks(text)
    expect(blocks.length).toBeGreaterThan(5)
    expect(blocks.join("\n")).toBe(text)
    expect(cut).toBe(false)
  })

  it("never cut a character of a very long line", () => {
    const text = "😀".repeat(5000)
    const { blocks } = textBlocks(`x${text}`)
    expect(blocks.every((block) => block.isWellFormed())).toBe(true)
    expect(blocks.join("")).toBe(`x${text}`)
  })

  it("end where invisible characters are too many to be shown", () => {
    const { blocks, cut } = textBlocks("\u200B\n".repeat(100_000))
    expect(cut).toBe(true)
    expect(blocks.join("").length).toBeLessThan(10_000)
  })
})
