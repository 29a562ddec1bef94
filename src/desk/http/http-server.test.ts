import { once } from "node:events"
import { connect } from "node:net"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { readTrustedProxies } from "../../platform/http/client-address.ts"
import { openLog } from "../../platform/log.ts"
import { portOf } from "../testing/upstreams.ts"
import { createDeskServer } from "./http-server.ts"

test("a request whose client leaves before its turn is not routed", async () => {
  const routed: (string | undefined)[] = []
  const logged: string[] = []
  const server = createDeskServer({
    router: {
      nameSender: () => "anybody",
      route({ request, response }) {
        // By then the server has read the last request.
        if (routed.push(request.url) === 5) sockets.at(-1)?.resetAndDestroy()
        // So long that each request has a turn of the event loop for itself.
        for (const end = performance.now() + 5; performance.now() < end;);
        response.end()
      },
    },
    log: openLog("info", { write: (line) => void logged.push(line) }),
    metrics: undefined,
    isDraining: () => false,
    trustedProxies: readTrustedProxies(undefined),
    isSignIn: false,
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const targets = [...Array.from({ length: 20 }, (_, index) => `/${index}`), "/left"]
  const sockets = await Promise.all(
    targets.map(async () => {
      const socket = connect(portOf(server), "127.0.0.1")
      await once(socket, "connect")
      return socket
    }),
  )
  const accepted = promisify(server.getConnections.bind(server))
  await expect.poll(() => accepted()).toBe(targets.length)
  for (const [index, socket] of sockets.entries())
    socket.write(`GET ${targets[index]} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  await expect.poll(() => logged.length).toBe(targets.length)
  expect(routed).toEqual(targets.slice(0, -1))
})
