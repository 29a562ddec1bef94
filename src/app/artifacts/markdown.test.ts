import { describe, expect, it } from "vitest"
import { decodeEntities, readMarkdown } from "./markdown.ts"

describe("Markdown", () => {
  it("is read into tokens, with its inline marks", () => {
    const [heading] = readMarkdown("# A **b**\r\n") ?? []
    expect(heading).toMatchObject({ type: "heading", depth: 1, tokens: [{ type: "text" }, { type: "strong" }] })
  })

  it.each([
    ["emphasis without end", "_a".repeat(50_000)],
    ["stars without end", "a*".repeat(50_000)],
    ["brackets", "[".repeat(100_000)],
  ])("leaves %s as it was written", (_, text) => {
    const [paragraph] = readMarkdown(text) ?? []
    expect(paragraph).toMatchObject({ type: "paragraph", tokens: [{ type: "escape", text }] })
  })

  it.each([
    ["quotes", `${"> ".repeat(5_000)}deep`],
    ["lists and quotes", `${"- > ".repeat(5_000)}deep`],
  ])("is no Markdown any more with %s nested thousands deep", (_, text) => {
    expect(readMarkdown(text)).toBeUndefined()
  })

  it("has its entities decoded once, and unknown ones left", () => {
    expect(decodeEntities("a &amp;lt; &#x41;&#66; &ouml; &unknown; &copy &#0; &#xD800;")).toBe(
      "a &lt; AB ö &unknown; &copy \uFFFD \uFFFD",
    )
  })
})
