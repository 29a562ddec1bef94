import { splitHidden } from "../ui/hidden-characters.ts"

const BLOCK_CHARACTERS = 4_000
/** The most invisible characters that are shown. Each is an element, and a hostile text has enough of them to make the page slow. */
const HIDDEN_MAX = 3_000

/**
 * Cuts a text at its line ends into blocks that are laid out one by one. A very long line is cut anywhere but within a character. `cut`
 * says that the text has too many invisible characters, and only its beginning is returned.
 */
export function textBlocks(text: string): { readonly blocks: readonly string[]; readonly cut: boolean } {
  const blocks: string[] = []
  let hidden = 0
  for (let begin = 0; begin < text.length;) {
    const end = endOfBlock(text, begin)
    const block = text.slice(begin, end)
    hidden += splitHidden(block).filter((part) => "hidden" in part).length
    if (hidden > HIDDEN_MAX) return { blocks, cut: true }
    // The end of the block ends the line.
    blocks.push(block.replace(/\r?\n$/, ""))
    begin = end
  }
  return { blocks, cut: false }
}

function endOfBlock(text: string, begin: number): number {
  const wanted = begin + BLOCK_CHARACTERS
  if (wanted >= text.length) return text.length
  const line = text.lastIndexOf("\n", wanted)
  if (line > begin) return line + 1
  const splitsPair = /[\uD800-\uDBFF]/.test(text[wanted - 1] ?? "")
  return splitsPair ? wanted - 1 : wanted
}
