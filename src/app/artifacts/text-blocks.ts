import { splitHidden } from "../ui/hidden-characters.ts"

const BLOCK_CHARACTERS = 4_000
/** Each is an element of its own: more of them would make the page slow, which is what such a text is made for. */
const HIDDEN_MAX = 3_000

/**
 * Cuts a text at its line ends into pieces that can be laid out one by one, a very long line anywhere but within a
 * character. `cut` where it has so many invisible characters that only its beginning is given.
 */
export function textBlocks(text: string): { readonly blocks: readonly string[]; readonly cut: boolean } {
  const blocks: string[] = []
  let hidden = 0
  for (let begin = 0; begin < text.length;) {
    const end = endOfBlock(text, begin)
    const block = text.slice(begin, end)
    hidden += splitHidden(block).filter((part) => "hidden" in part).length
    if (hidden > HIDDEN_MAX) return { blocks, cut: true }
    // The block itself ends the line.
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
