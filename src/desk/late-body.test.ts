import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { afterEach, describe, expect, test, vi } from "vitest"
import { approval } from "./record/testing/deciding.ts"
import { MUTATION, send, startTestProxy } from "./testing/desk.ts"
import { answerJson, reply, startUpstream } from "./testing/upstreams.ts"
import { type PersonHeaders, type SignInProxy, startSignInProxy } from "./testing/sign-in.ts"

const access = { contact: "the desk", roles: { reader: ["anyone"], delegator: ["group:ops"] } }
const BODY = '{"colleague_id":"analyst","objective":"x"}'

/** Sends everything of a request but the end of its body. `finish` sends the end, and returns all bytes that came back. */
async function beginRequest(port: number, line: string, headers: Readonly<Record<string, string>>) {
  const socket = connect(port, "127.0.0.1")
  let received = ""
  socket.on("data", (chunk) => (received += chunk.toString("latin1"))).on("error", () => undefined)
  const all = { Host: "localhost", Connection: "close", "Content-Length": String(BODY.length), ...headers }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  await once(socket, "connect")
  socket.write(`${line} HTTP/1.1\r\n${head.join("")}\r\n${BODY.slice(0, 5)}`)
  const closed = once(socket, "close")
  return {
    soFar: () => received,
    received: async () => {
      await closed
      return received
    },
    async finish(): Promise<string> {
      socket.write(BODY.slice(5))
      await closed
      return received
    },
  }
}

describe("while the body of a mutation arrives", () => {
  const create = (port: number, person: PersonHeaders) =>
    beginRequest(port, "POST /api/v1/work", { ...MUTATION, ...person })

  test("the person may sign out: 401, and the upstream hears nothing", async () => {
    const upstream = await startUpstream()
    const proxy = await startSignInProxy(upstream.url, { people: { access } })
    const ben = await proxy.signIn("Ben", ["ops"])
    const request = await create(proxy.port, ben)
    expect(await send(proxy.url, "/desk/sign-out", { method: "POST", headers: ben })).toMatchObject({ status: 200 })
    expect(await request.finish()).toMatch(/^HTTP\/1\.1 401 .*PROXY_SIGNED_OUT/s)
    expect(upstream.heard).toEqual([])
  })

  test("the person may lose the role: 403, and the upstream hears nothing", async () => {
    const upstream = await startUpstream()
    const proxy = await startSignInProxy(upstream.url, { people: { access } })
    const ben = await proxy.signIn("Ben", ["ops"])
    const request = await create(proxy.port, ben)
    await writeFile(proxy.accessFile, JSON.stringify({ ...access, roles: { reader: ["anyone"] } }))
    await expect
      .poll(async () => (await send(proxy.url, "/desk/session", { headers: ben })).text)
      .not.toMatch(/delegator/)
    expect(await request.finish()).toMatch(/^HTTP\/1\.1 403 .*PROXY_ROLE_MISSING/s)
    expect(upstream.heard).toEqual([])
  })

  test("saved views are a request of the person too", async () => {
    const proxy = await startSignInProxy((await startUpstream()).url, { people: { access } })
    const ben = await proxy.signIn("Ben", ["ops"])
    const request = await beginRequest(proxy.port, "PUT /desk/views", { ...MUTATION, ...ben, "If-Match": '"0"' })
    await send(proxy.url, "/desk/sign-out", { method: "POST", headers: ben })
    expect(await request.finish()).toMatch(/^HTTP\/1\.1 401 /)
  })
})

describe("while the desk reads the approval of a decision", () => {
  const roles = { reader: ["anyone"], approver: ["group:finance"] }

  /** Sends an approve whose approvals the service gives only after `meanwhile`. */
  async function approveWhile(meanwhile: (proxy: SignInProxy, cleo: PersonHeaders) => Promise<unknown>) {
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let lists = 0
    const upstream = await startUpstream((heard, response) => {
      if (!heard.url.endsWith("/approvals")) return answerJson(heard, response)
      const list = () => reply(200, "application/json", JSON.stringify({ data: [approval()] }))(heard, response)
      // The first list shows who sees the Work. The second is the one that the decision is checked on.
      if (++lists === 1) return list()
      onAsked()
      void released.then(list)
    })
    const proxy = await startSignInProxy(upstream.url, { people: { access: { contact: "the desk", roles } } })
    const cleo = await proxy.signIn("Cleo", ["finance"])
    const answer = send(proxy.url, "/api/v1/work/work_1/approvals/approval_1/resolve", {
      method: "POST",
      headers: { ...MUTATION, ...cleo, "If-Match": '"1"' },
      body: '{"decision":"approve"}',
    })
    await asked
    await meanwhile(proxy, cleo)
    release()
    return { answer: await answer, decisions: upstream.heard.filter(({ method }) => method === "POST") }
  }

  test("the person may sign out: 401, and the upstream hears no decision", async () => {
    const { answer, decisions } = await approveWhile((proxy, cleo) =>
      send(proxy.url, "/desk/sign-out", { method: "POST", headers: cleo }),
    )
    expect(answer).toMatchObject({ status: 401 })
    expect(decisions).toEqual([])
  })

  test("the person may lose the role: 403, and the upstream hears no decision", async () => {
    const { answer, decisions } = await approveWhile(async (proxy, cleo) => {
      await writeFile(proxy.accessFile, JSON.stringify({ contact: "the desk", roles: { reader: ["anyone"] } }))
      const session = async () => (await send(proxy.url, "/desk/session", { headers: cleo })).text
      await expect.poll(session).not.toMatch(/approver/)
    })
    expect(answer).toMatchObject({ status: 403 })
    expect(decisions).toEqual([])
  })
})

describe("a body that has not arrived 30 s after its headers", () => {
  afterEach(() => void vi.useRealTimers())

  test("is refused with 408, and the connection closes", async () => {
    const upstream = await startUpstream()
    const proxy = await startTestProxy(upstream.url)
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    // The desk answers 100 when it begins to read the body.
    const request = await beginRequest(proxy.port, "POST /api/v1/work", { ...MUTATION, Expect: "100-continue" })
    await expect.poll(request.soFar).toContain("100 Continue")
    vi.advanceTimersByTime(29_999)
    expect(request.soFar()).not.toContain("408")
    vi.advanceTimersByTime(1)
    expect(await request.received()).toMatch(/HTTP\/1\.1 408 .*Connection: close.*PROXY_REQUEST_TIMEOUT/is)
    expect(upstream.heard).toEqual([])
  })
})
