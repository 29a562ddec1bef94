/** Everything around a desk for tests of `--check` and the start: a service, a provider, an access file, a data folder, a proxy. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, request as httpRequest } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"
import { writeFile } from "node:fs/promises"
import { expect, onTestFinished } from "vitest"
import { startIdentityProvider } from "../../demo/identity-provider.ts"
import { freePort } from "../../desk/store/testing/free-port.ts"
import { folderForTest } from "../../desk/store/testing/stores.ts"
import { ALICE, credentials, serviceForTest } from "../../service/testing/test-service.ts"

export type Variables = Readonly<Record<string, string>>

const ACCESS = { contact: "the finance desk", roles: { reader: ["anyone"], approver: ["group:finance"] } }

/** The variables of a desk without a fault. `publicUrl` is the address of a proxy in front. */
export async function goodVariables(publicUrl?: string): Promise<Variables> {
  const folder = await folderForTest()
  const port = await freePort()
  const address = publicUrl ?? `http://127.0.0.1:${port}`
  const service = await serviceForTest({ configuration: { credentials: [...credentials, READER] } })
  const provider = await startIdentityProvider({ publicUrl: address, port: 0 })
  onTestFinished(() => provider.stop())
  await writeFile(join(folder, "access.json"), JSON.stringify(ACCESS))
  return {
    PORT: String(port),
    DATA_DIR: join(folder, "data"),
    WORK_API_URL: service.url,
    WORK_API_TOKEN: ALICE,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    PUBLIC_URL: address,
    ACCESS_FILE: join(folder, "access.json"),
  }
}

/** The token of an account that may only read. */
export const READER_TOKEN = "token-of-a-reader"
const READER = { token: READER_TOKEN, account: "sa_reader", owner: "owner", scopes: ["work:read", "approval:read"] }

type Front = { readonly port?: number; readonly headers?: Variables; readonly isBuffering?: boolean }

/** Starts a proxy in front of `target` that adds headers to the answers, or buffers each answer until it is complete. */
export async function startFront(target: string, { port, headers: added = {}, isBuffering = false }: Front) {
  const server = createServer((incoming, response) => {
    const { method, headers } = incoming
    const outgoing = httpRequest(new URL(incoming.url ?? "/", target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...added })
      if (!isBuffering) return answer.pipe(response)
      const chunks: Buffer[] = []
      answer.on("data", (chunk: Buffer) => chunks.push(chunk))
      answer.on("end", () => response.end(Buffer.concat(chunks)))
      return undefined
    })
    outgoing.on("error", () => response.destroy())
    incoming.pipe(outgoing)
  })
  const own = port ?? (await freePort())
  await once(server.listen(own, "127.0.0.1"), "listening")
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${own}`
}

/** Runs nginx with these lines of `server` and `location` until the test is over. */
export async function startNginx(port: number, lines: { readonly server?: string; readonly location: string }) {
  await startNginxServer(
    port,
    `server { listen 127.0.0.1:${port} ${lines.server ?? ";"} location / { ${lines.location} } }`,
  )
}

/** Runs nginx with this `server` block, which listens on `port`, until the test is over. */
export async function startNginxServer(port: number, server: string) {
  const folder = await folderForTest()
  const path = join(folder, "nginx.conf")
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
  const temporary = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(" ")
  await writeFile(
    path,
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
     http { access_log off; ${temporary}
       ${server} }`,
  )
  const child = spawn("nginx", ["-c", path], { stdio: "ignore" })
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    const ended = once(child, "exit")
    child.kill("SIGTERM")
    await ended
  })
  const listens = async () => {
    const socket = connect(port, "127.0.0.1")
    const found = await once(socket, "connect").then(Boolean, () => false)
    socket.destroy()
    return found
  }
  await expect.poll(listens, { timeout: 10_000 }).toBe(true)
}
