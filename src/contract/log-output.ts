import { writeSync } from "node:fs"

// Lines leave together, because one write costs as much as one request.
const BUFFER_CHARACTERS = 8_192
const FLUSH_MS = 50
const MOST_WAITING_BYTES = 1_048_576

const END_ATTEMPTS = 20
const END_WAIT_MS = 10

/** Where log lines go. `flush` writes the lines that wait in memory, and says whether all of them are written. */
export type LogOutput = { readonly write: (line: string) => void; readonly flush: () => boolean }

/**
 * Writes log lines to standard output. The program never waits for the log: while the reader is slow, up to 1 MiB of lines wait in memory.
 * Lines are dropped when more wait, when the reader is gone, or when the disk is full. (The synchronous flush of sonic-boom 4 tries again
 * for ever in all these cases, and nothing else runs meanwhile.) Node opens a pipe without blocking when `process.stdout` is read.
 */
export function openLogOutput({ fd }: { readonly fd: number } = process.stdout): LogOutput {
  let lines = ""
  let waiting = Buffer.alloc(0)
  const flush = () => {
    waiting = Buffer.concat([waiting, Buffer.from(lines)])
    lines = ""
    try {
      while (waiting.length > 0) waiting = waiting.subarray(writeSync(fd, waiting))
    } catch (error) {
      const isSlow = error instanceof Error && "code" in error && error.code === "EAGAIN"
      if (!isSlow) waiting = Buffer.alloc(0)
      // The line that was being written may be cut.
      else if (waiting.length > MOST_WAITING_BYTES) waiting = Buffer.from("\n")
    }
    return waiting.length === 0
  }
  const write = (line: string) => {
    lines += line
    if (lines.length >= BUFFER_CHARACTERS) flush()
  }
  setInterval(flush, FLUSH_MS).unref()
  process.on("exit", () => {
    const clock = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    for (let attempt = 0; attempt < END_ATTEMPTS && !flush(); attempt += 1) Atomics.wait(clock, 0, 0, END_WAIT_MS)
  })
  return { write, flush }
}
