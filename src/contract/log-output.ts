import { writeSync } from "node:fs"

// Several lines are written at once, because one write costs as much as one request.
const BUFFER_CHARACTERS = 8_192
const FLUSH_MS = 50
const UNWRITTEN_MAX_BYTES = 1_048_576

// At the end of the process.
const LAST_FLUSH_ATTEMPTS = 20
const LAST_FLUSH_PAUSE_MS = 10

/** Where log lines go. `flush` writes the lines in memory and says whether all of them were written. */
export type LogOutput = { readonly write: (line: string) => void; readonly flush: () => boolean }

/**
 * Writes log lines to a file descriptor, by default to standard output. The program never waits for the reader of its log: up to 1 MiB of
 * lines wait in memory for a slow reader. Lines are dropped when more would wait, when the reader is gone, or when the disk is full.
 * (Measured: in these cases the synchronous flush of sonic-boom 4 retries for ever and blocks the process.) Reading `process.stdout`
 * makes Node open a pipe in non-blocking mode.
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
      // The last written line may be incomplete, so the next line begins after a line end.
      else if (waiting.length > UNWRITTEN_MAX_BYTES) waiting = Buffer.from("\n")
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
    for (let attempt = 0; attempt < LAST_FLUSH_ATTEMPTS && !flush(); attempt += 1)
      Atomics.wait(clock, 0, 0, LAST_FLUSH_PAUSE_MS)
  })
  return { write, flush }
}
