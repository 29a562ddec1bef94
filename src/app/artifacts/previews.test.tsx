import { cleanup, render } from "@testing-library/react"
import { afterEach, describe, expect, it } from "vitest"
import { MarkdownPreview } from "./preview-markdown.tsx"
import { readMarkdown } from "./preview-tree.ts"

afterEach(cleanup)

const show = (text: string) => render(<MarkdownPreview tree={readMarkdown(text) ?? []} />).container

describe("Markdown", () => {
  it("has headings below that of the dialog, inline marks, lists and tables", () => {
    const page = show("# A **b**\r\n\n- [x] done\n\n| a | b |\n|---|--:|\n| 1 &amp; 2 | `3` |\n")
    expect(page.querySelector("h3")?.textContent).toBe("A b")
    expect(page.querySelector("h3 strong")?.textContent).toBe("b")
    expect(page.querySelector("li")?.textContent).toBe("☑ done")
    expect([...page.querySelectorAll("td")].map(({ textContent }) => textContent)).toEqual(["1 & 2", "3"])
  })

  it("has no element but those of its list: HTML, links and images are text", () => {
    const page = show(
      "<script>a</script> <b onclick=x>b</b> [link](javascript:alert(1)) ![alt](https://e.test/i.png) https://e.test/auto [^1]\n\n[^1]: note\n\n<iframe src=x>\n",
    )
    expect(
      page.querySelectorAll("a, img, script, b, iframe, input, sup, section section, [href], [src], [id]"),
    ).toHaveLength(0)
    for (const text of [
      "<script>a</script>",
      "<b onclick=x>",
      "javascript:alert(1)",
      "https://e.test/i.png",
      "<iframe src=x>",
    ])
      expect(page.textContent).toContain(text)
    expect(page.textContent?.match(/https:\/\/e\.test\/auto/g)).toHaveLength(1)
  })

  it("shows what cannot be seen, in text, in code and in HTML", () => {
    const page = show("a\u202Eb `c\u200Bd` <i \u2066>\n\n~~~\n\u00AD\n~~~\n")
    for (const point of ["U+202E", "U+200B", "U+2066", "U+00AD"]) expect(page.textContent).toContain(point)
  })

  it("shows the addresses of references, and each once", () => {
    const page = show(
      "[a][one] ![b][two] [^n]\n\n[one]: https://e.test/one\n[two]: https://e.test/two\n[^n]: the *note*\n",
    )
    for (const text of ["https://e.test/one", "https://e.test/two", "[^n]: ", "the note"])
      expect(page.textContent?.split(text)).toHaveLength(2)
    expect(page.textContent).toContain("Image, not loaded: b")
  })

  it.each([
    ["a table of 500 columns", `|${"a|".repeat(500)}\n|${"-|".repeat(500)}\n${`|${"b|".repeat(500)}\n`.repeat(20)}`],
    ["more elements than a page draws", "*a* ".repeat(5_000)],
    ["quotes nested thousands deep", `${"> ".repeat(2_000)}deep`],
  ])("has no tree for %s, which is shown as text", (_, text) => {
    expect(readMarkdown(text)).toBeUndefined()
  })
})
