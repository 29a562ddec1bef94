import { once } from "node:events"
import { createServer } from "node:net"

/**
 * Finds a loopback port that nobody listens at, for programs that must know their port before they start. Another program could take the
 * port in between, so a test uses port 0 where it can.
 */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  if (typeof address !== "object" || address === null) throw new Error("No port is free")
  return address.port
}
