/** Downloads a gigabyte through a program to a client that reads slowly at first, and then as fast as it can. */
import { createHash } from "node:crypto"
import { connect } from "node:net"
import type { Program } from "./program.ts"
import { residentBytes } from "./usage.ts"

const SLOW_MS = 30_000
const SLOW_BYTES_A_MS = 5_000
const TOTAL_BYTES = 1_073_741_824

export async function measureDownload({ port, pids }: Program) {
  const idle = residentBytes(pids)
  const hash = createHash("sha256")
  const socket = connect(port, "127.0.0.1")
  socket.write("GET /api/v1/work/w/artifacts/a/content HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
  const { promise, resolve } = Promise.withResolvers<void>()
  const began = performance.now()
  let bytes = 0
  let most = 0
  let headEnd = -1
  socket.on("end", resolve)
  socket.on("data", (chunk: Buffer) => {
    let body = chunk
    if (headEnd === -1) {
      headEnd = chunk.indexOf("\r\n\r\n")
      body = chunk.subarray(headEnd + 4)
    }
    bytes += body.length
    hash.update(body)
    const elapsed = performance.now() - began
    const due = bytes / SLOW_BYTES_A_MS
    if (elapsed > SLOW_MS || due <= elapsed) return
    most = Math.max(most, residentBytes(pids))
    socket.pause()
    setTimeout(() => socket.resume(), due - elapsed)
  })
  await promise
  const expected = createHash("sha256")
  const piece = Buffer.alloc(65_536, "download")
  for (let left = TOTAL_BYTES / piece.length; left > 0; left--) expected.update(piece)
  return { bytes, isEqual: hash.digest("hex") === expected.digest("hex"), grownMb: (most - idle) / 1_048_576 }
}
