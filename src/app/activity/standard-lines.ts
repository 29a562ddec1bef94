/**
 * Rewrites an event stream for fetch-event-source 2.0.1, which reads some streams differently from the standard (HTML, "Interpreting an event
 * stream"). Measured: it loses a field without a colon and an empty `data` line, strips a byte order mark from every line and not only from the
 * first, accepts an `id` with a NUL, and takes time that grows with the square of a line's length. So it gets only lines that it reads
 * correctly: whole lines of `data`, `event` and `id`, with a mark before each value.
 */
const encoder = new TextEncoder()
const MARK = "."
const LF = 10
const CR = 13
const NUL = 0
const SPACE = 32
const COLON = 58
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

const fields = ["data", "event", "id"].map((name) => ({
  name,
  bytes: encoder.encode(name),
  prefix: encoder.encode(`${name}:${MARK}`),
}))
const lineEnd = encoder.encode("\n")

/** After so much work without a pause the browser gets time for input and painting, so that a long replay does not block the tab. */
const BUSY_MS = 8

/** Takes the mark off an `id` or `event`; undefined where the frame had no such line. */
export function unmarkField(value: string): string | undefined {
  return value === "" ? undefined : value.slice(MARK.length)
}

/** Takes the mark off each line of `data`; undefined for a frame without data, which the standard does not dispatch. */
export function unmarkData(value: string): string | undefined {
  return value === "" ? undefined : value.replaceAll(`\n${MARK}`, "\n").slice(MARK.length)
}

/** Turns the bytes of an event stream into standard lines. `onBytes` is called for every chunk that arrives, also for comments. */
export function standardLines(onBytes: () => void): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const rewrite = createLineRewriter()
  let yieldedAt = performance.now()
  return new TransformStream({
    async transform(chunk, controller) {
      onBytes()
      const lines = rewrite(chunk)
      if (lines.length > 0) controller.enqueue(lines)
      if (performance.now() - yieldedAt < BUSY_MS) return
      await letOthersRun()
      yieldedAt = performance.now()
    },
  })
}

/** Rewrites chunk by chunk: each call takes the next bytes, cut anywhere, and returns the lines that they complete. */
export function createLineRewriter(): (chunk: Uint8Array) => Uint8Array<ArrayBuffer> {
  let begun: Uint8Array[] = []
  let afterCarriageReturn = false
  let isFirstLine = true
  let inFrame = false

  function takeLine(line: Uint8Array, output: Uint8Array[]): void {
    const text = isFirstLine && BYTE_ORDER_MARK.every((byte, index) => line[index] === byte) ? line.subarray(3) : line
    isFirstLine = false
    if (text.length === 0) {
      if (inFrame) output.push(lineEnd)
      inFrame = false
      return
    }
    const field = fields.find(
      ({ bytes }) =>
        bytes.every((byte, index) => text[index] === byte) &&
        (text.length === bytes.length || text[bytes.length] === COLON),
    )
    if (field === undefined) return
    const begin = field.bytes.length + 1
    const value = text.subarray(text[begin] === SPACE ? begin + 1 : begin)
    if (field.name === "id" && value.includes(NUL)) return
    inFrame = true
    output.push(field.prefix, value, lineEnd)
  }

  return (chunk) => {
    const output: Uint8Array[] = []
    let position = afterCarriageReturn && chunk[0] === LF ? 1 : 0
    if (chunk.length > 0) afterCarriageReturn = false
    let nextReturn = chunk.indexOf(CR, position)
    let nextFeed = chunk.indexOf(LF, position)
    while (nextReturn !== -1 || nextFeed !== -1) {
      const byReturn = nextReturn !== -1 && (nextFeed === -1 || nextReturn < nextFeed)
      const end = byReturn ? nextReturn : nextFeed
      takeLine(join([...begun, chunk.subarray(position, end)]), output)
      begun = []
      position = end + 1
      if (byReturn && chunk[position] === LF) position++
      else if (byReturn && position === chunk.length) afterCarriageReturn = true
      if (nextReturn !== -1 && nextReturn < position) nextReturn = chunk.indexOf(CR, position)
      if (nextFeed !== -1 && nextFeed < position) nextFeed = chunk.indexOf(LF, position)
    }
    // Copied, so that the beginning of a line does not keep a large chunk in memory.
    if (position < chunk.length) begun.push(chunk.slice(position))
    return join(output)
  }
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let position = 0
  for (const part of parts) {
    joined.set(part, position)
    position += part.length
  }
  return joined
}

/** Lets the browser run other tasks. A timer would wait up to a second in a hidden tab. */
function letOthersRun(): Promise<void> {
  if ("scheduler" in globalThis && "yield" in scheduler) return scheduler.yield()
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener("message", () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(undefined)
  })
}
