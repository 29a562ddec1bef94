import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { promisify } from "node:util"
import { describe, expect, it, onTestFinished } from "vitest"
import { readTrustedProxies } from "../../platform/http/client-address.ts"
import { readLimits } from "./desk-configuration.ts"
import { RequestLimits } from "./request-limits.ts"
import { startSignInProxy, type PersonHeaders, type SignInProxy } from "../testing/sign-in.ts"
import { callerKey } from "../store/event-loop-share.ts"
import { changedDatabase, readsCounted } from "../store/testing/stores.ts"
import { MUTATION, openStore, problemOf, type Reply, send, startTestProxy } from "../testing/desk.ts"
import { startUpstream } from "../testing/upstreams.ts"

const limits = { ...readLimits({}), personRequestsPerMinute: 10 }

const read = (proxy: SignInProxy, person: PersonHeaders) => send(proxy.url, "/api/v1/work", { headers: { ...person } })
const mutate = (proxy: SignInProxy, person: PersonHeaders) =>
  send(proxy.url, "/api/v1/work", { method: "POST", headers: { ...MUTATION, ...person }, body: "{}" })

it("the requests of one person are limited, mutations to a fifth as many, and other persons are not affected", async () => {
  const upstream = await startUpstream((heard, response) => {
    response.writeHead(heard.method === "POST" ? 201 : 200, { "Content-Type": "application/json" })
    response.end("{}")
  })
  const proxy = await startSignInProxy(upstream.url, {
    limits,
    people: { access: { roles: { delegator: ["anyone"] } } },
  })
  const [ada, ben] = [await proxy.signIn("Ada", []), await proxy.signIn("Ben", [])]
  const statuses: number[] = []
  for (let count = 0; count < 12; count++) statuses.push((await read(proxy, ada)).status)
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429])

  const refused = await read(proxy, ada)
  expect(problemOf(refused)).toMatchObject({ code: "PROXY_PERSON_LIMIT", status: 429, retryable: true })
  const seconds = Number(refused.headers["retry-after"])
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(seconds).toBeLessThanOrEqual(6)
  expect(refused.headers["ratelimit-policy"]).toBe('"person-read";q=10;w=60')
  expect(refused.headers["ratelimit"]).toBe(`"person-read";r=0;t=${seconds}`)

  expect([(await mutate(proxy, ada)).status, (await mutate(proxy, ada)).status]).toEqual([201, 201])
  const third = await mutate(proxy, ada)
  expect([third.status, third.headers["ratelimit-policy"]]).toEqual([429, '"person-write";q=2;w=60'])
  expect((await read(proxy, ben)).status).toBe(200)
  expect((await send(proxy.url, "/desk/session", { headers: { ...ada } })).status).toBe(200)
  expect((await send(proxy.url, "/desk/sign-out", { method: "POST", headers: { ...ada } })).status).toBe(200)
  expect(upstream.heard).toHaveLength(13)
})

it("without a number of its own, a person has a quarter of the reads that the upstream names", async () => {
  const upstream = await startUpstream((_, response) => {
    response.writeHead(200, { "Content-Type": "application/json", "RateLimit-Policy": '"read";q=20;w=30' })
    response.end("{}")
  })
  const proxy = await startSignInProxy(upstream.url, { people: { access: { roles: { reader: ["anyone"] } } } })
  const ada = await proxy.signIn("Ada", [])
  const statuses: number[] = []
  for (let count = 0; count < 13; count++) statuses.push((await read(proxy, ada)).status)
  // The first read is counted before the upstream has named its policy.
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(11)
  expect(statuses.at(-1)).toBe(429)
  expect((await read(proxy, ada)).headers["ratelimit-policy"]).toBe('"person-read";q=10;w=60')
})

it("a person without a role is limited like everybody", async () => {
  const proxy = await startSignInProxy((await startUpstream()).url, { limits })
  const ada = await proxy.signIn("Ada", [])
  const statuses: number[] = []
  for (let count = 0; count < 11; count++) statuses.push((await read(proxy, ada)).status)
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), 429])
})

it("a touch counts to the person's reads, and a person may always sign out", async () => {
  const proxy = await startSignInProxy((await startUpstream()).url, {
    limits,
    people: { access: { roles: { reader: ["anyone"] } } },
  })
  const ada = await proxy.signIn("Ada", [])
  const touch = () => send(proxy.url, "/desk/session/touch", { method: "POST", headers: { ...ada } })
  const statuses: number[] = []
  for (let count = 0; count < 11; count++) statuses.push((await touch()).status)
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429])
  expect((await read(proxy, ada)).status).toBe(429)
  expect((await send(proxy.url, "/desk/sign-out", { method: "POST", headers: { ...ada } })).status).toBe(200)
})

const everything = { roles: { reader: ["anyone"], delegator: ["anyone"], approver: ["anyone"] } }

const put = (proxy: SignInProxy, person: PersonHeaders, path: string, body: object) =>
  send(proxy.url, path, {
    method: "PUT",
    headers: { "Content-Type": "application/json", ...person },
    body: JSON.stringify(body),
  })

const decide = (proxy: SignInProxy, person: PersonHeaders, decision: string) =>
  send(proxy.url, "/api/v1/work/w/approvals/a/resolve", {
    method: "POST",
    headers: { ...MUTATION, "If-Match": '"1"', ...person },
    body: JSON.stringify({ decision }),
  })

it("what a person writes at the desk is limited together, presence reports and reports of what was seen apart, and no other request", async () => {
  const proxy = await startSignInProxy((await startUpstream()).url, { people: { access: everything } })
  const ada = await proxy.signIn("Ada", [])
  const paths = ["/desk/assignment", "/desk/aside", "/desk/away", "/desk/views", "/desk/notices"]
  const write = (count: number) => put(proxy, ada, paths[count % paths.length] ?? "", {})
  for (let count = 0; count < 60; count++) expect((await write(count)).status).toBeLessThan(429)
  /** Sends until it is refused, because a token comes back each second. */
  const untilRefused = async (write: () => Promise<Reply>) => {
    let answer = await write()
    while (answer.status !== 429) answer = await write()
    expect(problemOf(answer).code).toBe("PROXY_PERSON_LIMIT")
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0)
    return answer.headers["ratelimit-policy"]
  }
  for (const count of paths.keys()) {
    expect(await untilRefused(() => write(count))).toBe('"person-desk-write";q=60;w=60')
  }
  for (const [path, name] of [
    ["/desk/presence", "presence"],
    ["/desk/seen", "seen"],
  ] as const) {
    const report = () =>
      send(proxy.url, path, { method: "POST", headers: { "Content-Type": "application/json", ...ada }, body: "{}" })
    for (let count = 0; count < 120; count++) expect((await report()).status).toBe(400)
    expect(await untilRefused(report)).toBe(`"person-${name}";q=120;w=60`)
  }
  expect((await read(proxy, ada)).status).toBe(200)
  expect((await send(proxy.url, "/desk/views", { headers: { ...ada } })).status).toBe(200)
})

it.each([
  ["that are refused", "/desk/views", "Ada"],
  ["that have no limit", "/desk/session", "Ada"],
  ["with invented cookies", "/desk/views", "nobody"],
])("a person's request is answered before most of many requests %s", async (_, path, sender) => {
  const proxy = await startSignInProxy((await startUpstream()).url, {
    limits: { ...limits, personRequestsPerMinute: 1, clientRequestsPerMinute: 20 },
    people: { access: { roles: { reader: ["anyone"] } } },
  })
  const [ada, ben] = [await proxy.signIn("Ada", []), await proxy.signIn("Ben", [])]
  expect([(await read(proxy, ada)).status, (await read(proxy, ada)).status]).toEqual([200, 429])
  expect((await read(proxy, ben)).status).toBe(200)
  const invented = () => ({ ...ada, Cookie: ada.Cookie.replace(/=.*/, `=${randomBytes(32).toString("base64url")}`) })
  const others = Array.from({ length: 200 }, () => [path, sender === "Ada" ? ada : invented()] as const)
  const requests = [...others, ["/desk/session", ben] as const]
  const sockets = await Promise.all(requests.map(() => connected(proxy.port)))
  const accepted = promisify(proxy.server.getConnections.bind(proxy.server))
  await expect.poll(() => accepted()).toBe(requests.length)
  const answered: PersonHeaders[] = []
  for (const [index, [target, person]] of requests.entries()) {
    const socket = sockets[index]
    socket?.once("data", () => answered.push(person))
    socket?.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nCookie: ${person.Cookie}\r\n\r\n`)
  }
  await expect.poll(() => answered.length).toBe(requests.length)
  expect(answered.indexOf(ben)).toBeLessThan(requests.length / 2)
})

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1")
  await once(socket, "connect")
  onTestFinished(() => void socket.destroy())
  return socket
}

it("a person pays for each read of the upstream that their request begins, and may get below zero", async () => {
  let works = 0
  const upstream = await startUpstream((_, response) => {
    response.writeHead(200, { "Content-Type": "application/json" })
    // Concealed Work on each of many pages, so that the desk reads five of them for one request.
    response.end(JSON.stringify({ data: [{ id: `w${works++}` }], next_cursor: "more" }))
  })
  const proxy = await startSignInProxy(upstream.url, {
    limits: { ...limits, personRequestsPerMinute: 12 },
    people: { access: { roles: { reader: ["anyone"] }, visibility: {} } },
  })
  const ada = await proxy.signIn("Ada", [])
  const list = async () => (await read(proxy, ada)).status
  expect([await list(), upstream.heard.length]).toEqual([200, 5])
  // Two tokens are left, and the request needs five.
  expect([await list(), await list(), upstream.heard.length]).toEqual([200, 200, 15])
  const refused = await read(proxy, ada)
  expect([refused.status, upstream.heard.length]).toEqual([429, 15])
  // Three below zero, at a token in 5 s.
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(15)
})

it("a shared read is paid by the person who began it", async () => {
  const held: (() => void)[] = []
  const upstream = await startUpstream((heard, response) => {
    const answer = () => {
      response.writeHead(200, { "Content-Type": "application/json" })
      response.end(JSON.stringify(heard.url.includes("?") ? { data: [] } : { id: "w", data: [] }))
    }
    if (heard.url.endsWith("/artifacts")) held.push(answer)
    else answer()
  })
  const proxy = await startSignInProxy(upstream.url, {
    limits,
    people: { access: { roles: { reader: ["anyone"] }, visibility: { overseers: ["anyone"] } } },
  })
  const [ada, ben] = [await proxy.signIn("Ada", []), await proxy.signIn("Ben", [])]
  const artifacts = (person: PersonHeaders) => send(proxy.url, "/api/v1/work/w/artifacts", { headers: { ...person } })
  const first = artifacts(ada)
  await expect.poll(() => held.length).toBe(1)
  const second = artifacts(ben)
  await expect.poll(() => upstream.heard.filter(({ url }) => url === "/api/v1/work/w").length).toBe(2)
  for (const answer of held.splice(0)) answer()
  expect([(await first).status, (await second).status, held.length]).toEqual([200, 200, 0])
  // Ada paid for the check and the list, Ben for the check alone, which his request itself pays.
  const left = async (person: PersonHeaders) => {
    let count = 0
    while ((await read(proxy, person)).status === 200) count++
    return count
  }
  expect([await left(ada), await left(ben)]).toEqual([8, 9])
})

it("a mutation is charged to the mutations alone, and a decline, a freeze and its end to nothing", async () => {
  const upstream = await startUpstream((heard, response) => {
    const isPost = heard.method === "POST"
    response.writeHead(isPost ? 409 : 200, { "Content-Type": isPost ? "application/problem+json" : "application/json" })
    const approval = { id: "a", work_id: "w", version: 1, status: "pending", requested_by_colleague: "x", action: {} }
    response.end(isPost ? "{}" : JSON.stringify({ id: "w", colleague_id: "x", data: [approval] }))
  })
  const proxy = await startSignInProxy(upstream.url, {
    limits,
    people: { access: { ...everything, visibility: { overseers: ["anyone"] } } },
  })
  const ada = await proxy.signIn("Ada", [])
  const limited = async (decision: string, times: number) => {
    const statuses: number[] = []
    for (let count = 0; count < times; count++) statuses.push((await decide(proxy, ada, decision)).status)
    return statuses.map((status) => status === 429)
  }
  // A tenth of the reads that 60 requests read for themselves would be the person's.
  expect(await limited("decline", 20)).toEqual(Array.from({ length: 20 }, () => false))
  expect(await limited("approve", 3)).toEqual([false, false, true])
  expect(await limited("decline", 1)).toEqual([false])
  for (let count = 0; count < 70; count++) {
    const frozen = await put(proxy, ada, "/desk/freeze", { colleague: "x", reason: "too many letters" })
    expect(frozen.status).toBe(200)
    const end = { method: "DELETE", headers: { ...ada } }
    expect((await send(proxy.url, "/desk/freeze?colleague=x", end)).status).toBe(204)
  }
  for (let count = 0; count < 10; count++) expect((await read(proxy, ada)).status).toBe(200)
})

it("a person has at most 100 streams open", async () => {
  const upstream = await startUpstream((heard, response) => {
    const isStream = heard.url.endsWith("/events")
    response.writeHead(200, { "Content-Type": isStream ? "text/event-stream" : "application/json" })
    if (isStream) response.write(": open\n\n")
    else response.end('{"id":"w","data":[]}')
  })
  const proxy = await startSignInProxy(upstream.url, {
    limits: { ...limits, personRequestsPerMinute: 1_000 },
    people: { access: { roles: { reader: ["anyone"] }, visibility: { overseers: ["anyone"] } } },
  })
  const [ada, ben] = [await proxy.signIn("Ada", []), await proxy.signIn("Ben", [])]
  const open = async (person: PersonHeaders) => {
    const leave = new AbortController()
    const { signal } = leave
    const answer = await fetch(`${proxy.url}/api/v1/work/w/events`, {
      headers: { ...person, Host: "localhost" },
      signal,
    })
    return { answer, leave }
  }
  const opened = await Promise.all(Array.from({ length: 100 }, () => open(ada)))
  expect(opened.map(({ answer }) => answer.status)).toEqual(opened.map(() => 200))
  const refused = await open(ada)
  expect([refused.answer.status, await refused.answer.json()]).toMatchObject([429, { code: "PROXY_PERSON_LIMIT" }])
  expect(Number(refused.answer.headers.get("retry-after"))).toBeGreaterThan(0)
  const others = await open(ben)
  expect(others.answer.status).toBe(200)
  for (const { leave } of opened.slice(0, 2)) leave.abort()
  await expect.poll(async () => (await open(ada)).answer.status).toBe(200)
})

describe("without a session", () => {
  const clientLimits = { ...readLimits({}), clientRequestsPerMinute: 5 }
  const configuration = { trustedProxies: readTrustedProxies("127.0.0.1") }
  const from = (client: string) => ({ "X-Forwarded-For": client })

  it("a client has so many requests to all addresses below /api and /desk together", async () => {
    const upstream = await startUpstream()
    const people = { access: { roles: { reader: ["anyone"] } } }
    const proxy = await startSignInProxy(upstream.url, { limits: clientLimits, configuration, people })
    const ada = await proxy.signIn("Ada", [])
    expect((await read(proxy, ada)).status).toBe(200)
    const paths = ["/api/v1/work", "/desk/session", "/desk/health?upstream", "/desk/sign-in/callback?state=x", "/api/x"]
    const statuses: number[] = []
    for (const path of paths) statuses.push((await send(proxy.url, path)).status)
    expect(statuses).toEqual([401, 200, 401, 400, 401])
    for (const path of [...paths, "/desk/session/touch", "/desk/sign-in"]) {
      const refused = await send(proxy.url, path)
      expect([path, refused.status, problemOf(refused).code]).toEqual([path, 429, "PROXY_CLIENT_LIMIT"])
      expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
    }
    // A browser that goes to the address shows a page, and an identity provider's pages lead there too.
    for (const path of ["/desk/sign-in", "/desk/sign-in/callback?state=x"]) {
      const page = await send(proxy.url, path, { headers: { Accept: "text/html,*/*;q=0.8" } })
      expect([page.status, page.headers["content-type"]]).toEqual([429, "text/html; charset=utf-8"])
      expect(page.text).toContain(`Try again in ${page.headers["retry-after"]} s.`)
    }
    for (const path of ["/desk/health", "/desk/ready"]) expect((await send(proxy.url, path)).status).toBe(200)
    // The provider can still end a session.
    expect((await send(proxy.url, "/desk/sign-out/back", { method: "POST" })).status).toBe(400)
    // Who has a session notices nothing.
    expect((await read(proxy, ada)).status).toBe(200)
    expect(upstream.heard).toHaveLength(2)
  })

  it("requests of strangers lock nobody out who has a session, also after a restart", async () => {
    const people = { access: { roles: { reader: ["anyone"] } } }
    const upstream = await startUpstream()
    const proxy = await startSignInProxy(upstream.url, { limits: clientLimits, configuration, people })
    // This desk has not seen the session yet, as after a restart.
    const ada = await proxy.signIn("Ada", [])
    const ben = await proxy.signIn("Ben", [])
    for (let count = 0; count < 8; count++) await send(proxy.url, "/api/v1/work")
    expect((await send(proxy.url, "/api/v1/work")).status).toBe(429)
    expect((await read(proxy, ada)).status).toBe(200)
    const invented = () => send(proxy.url, "/api/v1/work", { headers: { Cookie: `workdesk-4400=${"A".repeat(43)}` } })
    for (let count = 0; count < 5; count++) expect((await invented()).status).toBe(401)
    expect((await invented()).status).toBe(429)
    expect((await read(proxy, ada)).status).toBe(200)
    const signOut = () => send(proxy.url, "/desk/sign-out", { method: "POST", headers: { ...ben } })
    expect((await signOut()).status).toBe(200)
    expect((await signOut()).status).toBe(401)
  })

  it("a client that invents cookies is refused before the store is asked", async () => {
    const { database, reads } = readsCounted((await openStore()).database)
    const people = { database }
    const proxy = await startSignInProxy((await startUpstream()).url, { limits: clientLimits, configuration, people })
    reads.length = 0
    for (let count = 0; count < 50; count++) {
      const headers = { Cookie: `workdesk-4400=${String(count).padStart(43, "A")}` }
      await send(proxy.url, "/api/v1/work", { headers })
    }
    expect(reads.length).toBeLessThanOrEqual(15)
  })

  it("a client that invents cookies takes turns as one sender", async () => {
    const { database } = await openStore()
    const callers = new Set<string>()
    const read: typeof database.read = (sql, ...values) => {
      callers.add(callerKey())
      return database.read(sql, ...values)
    }
    const people = { database: changedDatabase(database, { read }) }
    const proxy = await startSignInProxy((await startUpstream()).url, { people })
    callers.clear()
    for (const letter of "ABC") {
      const headers = { Cookie: `workdesk-4400=${letter.repeat(43)}` }
      expect((await send(proxy.url, "/api/v1/work", { headers })).status).toBe(401)
    }
    // The empty text is the desk itself.
    expect([...callers].filter((caller) => caller !== "")).toEqual(["127.0.0.1"])
  })

  it("a provider's sign-out has at most 64 KiB, and counts to its client", async () => {
    const proxy = await startSignInProxy((await startUpstream()).url, { limits: clientLimits, configuration })
    const post = (length: number) =>
      send(proxy.url, "/desk/sign-out/back", { method: "POST", body: Buffer.alloc(length) })
    expect((await post(65_537)).status).toBe(413)
    for (let count = 0; count < 4; count++) expect((await post(65_536)).status).toBe(400)
    expect((await post(1)).status).toBe(429)
  })

  it("each IPv4 address and each /64 has its own", async () => {
    const proxy = await startSignInProxy((await startUpstream()).url, { limits: clientLimits, configuration })
    const ask = async (client: string) => (await send(proxy.url, "/desk/session", { headers: from(client) })).status
    for (let count = 0; count < 5; count++) await ask(`2001:db8::${count}`)
    expect(await ask("2001:db8::ffff")).toBe(429)
    expect(await ask("2001:db8:0:1::1")).toBe(200)
    expect(await ask("198.51.100.1")).toBe(200)
  })

  it("the log says once that TRUSTED_PROXIES doesn't name the proxy in front", async () => {
    const upstream = await startUpstream()
    const [trusting, other] = [
      await startSignInProxy(upstream.url, { configuration }),
      await startSignInProxy(upstream.url),
    ]
    for (const proxy of [trusting, other])
      for (const client of ["192.0.2.1", "192.0.2.2"]) await send(proxy.url, "/desk/session", { headers: from(client) })
    const sentences = ({ logged }: SignInProxy) => logged.filter((line) => line.includes("TRUSTED_PROXIES"))
    expect(sentences(other)).toHaveLength(1)
    expect(sentences(trusting)).toEqual([])
  })

  it("the log says once that a request named a host that the desk doesn't serve", async () => {
    const proxy = await startSignInProxy((await startUpstream()).url)
    const warnings = () => proxy.logged.filter((line) => line.includes("ALLOWED_HOSTS"))
    await send(proxy.url, "/desk/session")
    expect(warnings()).toEqual([])
    for (const Host of ["127.0.0.1:9", "desk-1:4400"]) await send(proxy.url, "/work", { headers: { Host } })
    await expect.poll(warnings).toHaveLength(1)
  })

  it("at most 10,000 clients are remembered", () => {
    const counted = new RequestLimits(
      { personRequestsPerMinute: 1, clientRequestsPerMinute: 1, upstreamStreams: 1 },
      () => undefined,
    )
    for (let count = 0; count < 20_000; count++) counted.admit(`10.0.${count >> 8}.${count & 255}`, undefined)
    // The first client was forgotten, and one of the last 5,000 is remembered.
    expect(counted.admit("10.0.0.0", undefined).refusal).toBeUndefined()
    expect(counted.admit("10.0.78.0", undefined).refusal?.status).toBe(429)
  })
})

it("local mode has no such limit", async () => {
  const upstream = await startUpstream()
  const proxy = await startTestProxy(upstream.url, { limits })
  for (let count = 0; count < 20; count++) expect((await send(proxy.url, "/api/v1/work")).status).toBe(200)
})
