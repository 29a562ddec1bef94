/** The receivers of the kill rounds: servers on ports of their own, and a chat that remembers what it was told. */
import { once } from "node:events"
import { createServer } from "node:http"
import { onTestFinished } from "vitest"
import { linesOfChat, linksOfChat } from "./chat-message.ts"

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

export async function listening(handle: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handle).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => server.close().closeAllConnections())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
}
