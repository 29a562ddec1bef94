/** The number of line feeds in a text. */
export function linesIn(text: string): number {
  return text.split("\n").length - 1
}

/** Makes a function that gives the line number of an offset. It uses binary search, because a hostile text has matches on 50,000 lines. */
export function lineFinder(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}
