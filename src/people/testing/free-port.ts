import { once } from "node:events"
import { createServer } from "node:net"

/**
 * A loopback port that nobody listens at. For programs that must be told their port before they start. Another program could take the
 * port in between: a test that can ask for port 0 does so.
 */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  if (typeof address !== "object" || address === null) throw new Error("No port is free")
  return address.port
}
