/** The receivers of the kill rounds: servers on ports of their own, a chat that remembers what it was told, and devices that decrypt. */
import { once } from "node:events"
import { createServer } from "node:http"
import { onTestFinished } from "vitest"
import * as v from "valibot"
import { linesOfChat, linksOfChat } from "./chat-message.ts"
import { decryptPush, newBrowserKeys } from "../channels/push-receiver.ts"
import { startPushService } from "./push-service.ts"

/** A chat, and the items that its messages have told, and those that waited too long. */
export async function startChat() {
  const [told, escalated, control] = [new Set<string>(), new Set<string>(), { posts: 0 }]
  const url = await listening((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      control.posts++
      const [heading = "", ...lines] = linesOfChat("mattermost", Buffer.concat(chunks).toString())
      const items = heading.startsWith("Waiting for 1 minute: ") ? escalated : told
      for (const link of linksOfChat(lines)) items.add(link.slice(link.indexOf("=") + 1))
      response.writeHead(200).end()
    })
  })
  return { url, told, escalated, control }
}

const message = v.pipe(v.string(), v.parseJson(), v.object({ number: v.number() }))

export type Devices = Awaited<ReturnType<typeof startDevices>>

/** Two devices of each of these people. The push service refuses one message to each device for now. */
export async function startDevices(people: readonly string[]) {
  const { url, control } = await startPushService()
  const devices = people.flatMap((personId) =>
    [1, 2].map((count) => ({ id: `${personId}-${count}`, personId, browser: newBrowserKeys(), told: [] as number[] })),
  )
  const refused = new Set<string>()
  control.answer = ({ path, body }) => {
    const device = devices.find(({ id }) => path === `/${id}`)
    if (device === undefined) return 410
    const { number } = v.parse(message, decryptPush(body, device.browser))
    const isRefused = !refused.has(device.id) && Math.random() < 0.3
    if (isRefused) refused.add(device.id)
    else device.told.push(number)
    return isRefused ? 503 : 201
  }
  return { url, devices }
}

export async function listening(handle: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handle).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => server.close().closeAllConnections())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
}
