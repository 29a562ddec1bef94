import { connect } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { TIMEOUTS } from "../../proxy/upstream.ts"
import { inRecord } from "../../record/hash-chain.ts"
import { openStore, startTestProxy } from "../../testing/desk.ts"
import { startUpstream } from "../../testing/upstreams.ts"

it("an export of the record ends when the client reads nothing of it", async () => {
  const upstream = await startUpstream((_, response) => response.writeHead(404).end())
  const { database, record } = await openStore()
  const about = { roles: [], operation: "createWork", request_id: "r", key_hash: "k", input_hash: "i" } as const
  await inRecord({ database, onStored: () => undefined }, async ({ append }) => {
    for (let row = 0; row < 4_000; row++)
      await append({ kind: "intent", person: "local", ...about, summary: "x".repeat(4_000) })
  })
  const timeouts = { ...TIMEOUTS, stalledDownload: 500 }
  const proxy = await startTestProxy(upstream.url, { database, record, timeouts })
  const socket = connect(proxy.port, "127.0.0.1")
  onTestFinished(() => void socket.destroy())
  socket.pause()
  socket.write("GET /desk/record HTTP/1.1\r\nHost: localhost\r\nAccept: application/jsonl\r\n\r\n")
  const connections = () => new Promise((resolve) => proxy.server.getConnections((_, count) => resolve(count)))
  await expect.poll(connections).toBe(1)
  await expect.poll(connections, { timeout: 10_000 }).toBe(0)
})
