/** Finds a free port for a test. */
import { once } from "node:events"
import { createServer } from "node:net"
import { randomInt } from "node:crypto"

/** Below the ports that systems give to outgoing connections (Linux: from 32768), so that no connection of another test takes the port. */
const FIRST = 20_000
const END = 32_000
const TRIES = 50

/**
 * Finds a loopback port that nobody listens at, for programs that must know their port before they start. Another program could take the
 * port in between, so a test uses port 0 where it can.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(FIRST, END)
    const server = createServer().listen(port, "127.0.0.1")
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    await once(server.close(), "close")
    return port
  }
  throw new Error("No port is free")
}
