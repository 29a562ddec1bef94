/** Cuts a long text into blocks that the browser lays out one by one. Runs in the worker. */
import { splitHidden, type TextPart } from "../ui/hidden-characters.ts"

/** A text in blocks, each split at its invisible characters. `cut`: only its beginning, because too many characters are invisible. */
export type PreviewBlocks = { readonly blocks: readonly (readonly TextPart[])[]; readonly cut: boolean }

const BLOCK_CHARACTERS = 4_000
/** The most invisible characters that are shown. Each is an element, and a hostile text has enough of them to make the page slow. */
const HIDDEN_MAX = 1_000

/** Cuts a text at its line ends. A very long line is cut anywhere but within a character. */
export function textBlocks(text: string): PreviewBlocks {
  const blocks: (readonly TextPart[])[] = []
  let hidden = 0
  for (let begin = 0; begin < text.length;) {
    const end = endOfBlock(text, begin)
    // The end of the block ends the line.
    const block = splitHidden(text.slice(begin, end).replace(/\r?\n$/, ""))
    hidden += block.filter((part) => "hidden" in part).length
    if (hidden > HIDDEN_MAX) return { blocks, cut: true }
    blocks.push(block)
    begin = end
  }
  return { blocks, cut: false }
}

function endOfBlock(text: string, begin: number): number {
  const wanted = begin + BLOCK_CHARACTERS
  if (wanted >= text.length) return text.length
  // Only within the block: a text of one line would be searched to its beginning for each block.
  const line = text.slice(begin, wanted + 1).lastIndexOf("\n")
  if (line > 0) return begin + line + 1
  const splitsPair = /[\uD800-\uDBFF]/.test(text[wanted - 1] ?? "")
  return splitsPair ? wanted - 1 : wanted
}
