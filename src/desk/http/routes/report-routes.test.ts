import { connect, type Socket } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { TIMEOUTS } from "../../proxy/upstream.ts"
import { localPeople } from "../../people/open-people.ts"
import { DeskRecord } from "../../record/desk-record.ts"
import { inRecord } from "../../record/hash-chain.ts"
import { readReport } from "../../record/testing/parse-csv.ts"
import { REPORT_POLICY } from "../../record/report/report-html.ts"
import type { Database } from "../../store/database.ts"
import { changedDatabase } from "../../store/testing/stores.ts"
import { ask, delegate, startVisibilityDesk, startWorkUpstream } from "../../testing/concealed-work.ts"
import { openStore, problemOf, send, startTestProxy } from "../../testing/desk.ts"
import { startSignInProxy } from "../../testing/sign-in.ts"
import { startUpstream } from "../../testing/upstreams.ts"

const nothing = () => startUpstream((_, response) => response.writeHead(404).end())
const today = new Date().toISOString().slice(0, 10)
/** The test may run at midnight. */
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
const REPORT = `/desk/record/report?from=${today}&to=${tomorrow}`

/** So many delegations with long titles that no buffer holds their report. */
async function fill(database: Database, rows = 4_000): Promise<void> {
  const about = { roles: [], operation: "createWork", request_id: "r", key_hash: "k", input_hash: "i" } as const
  await inRecord({ database, onStored: () => undefined }, async ({ append }) => {
    for (let row = 0; row < rows; row++)
      await append({ kind: "intent", person: "local", ...about, summary: "x".repeat(4_000) })
  })
}

const everybody = ["anyone"]
const SEES_ALL = { roles: { reader: everybody }, visibility: { overseers: everybody } }

/** Begins a report, and reads nothing of it. */
function begin(port: number, headers: Readonly<Record<string, string>> = {}): Socket {
  const socket = connect(port, "127.0.0.1")
  onTestFinished(() => void socket.destroy())
  socket.pause()
  const lines = Object.entries({ Host: "localhost", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET ${REPORT}&format=csv HTTP/1.1\r\n${lines.join("")}\r\n`)
  return socket
}

it.each([
  ["csv", "text/csv; charset=utf-8; header=present"],
  ["html", "text/html; charset=utf-8"],
] as const)("a report as %s is a file that can run nothing", async (format, type) => {
  const proxy = await startTestProxy((await nothing()).url)
  const { status, headers, text } = await send(proxy.url, `${REPORT}&format=${format}`)
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    "content-type": type,
    "content-disposition": `attachment; filename="workdesk-report-${today}-${tomorrow}.${format}"`,
    "content-security-policy": `sandbox; frame-ancestors 'none'; ${REPORT_POLICY}`,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  })
  expect(REPORT_POLICY).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'$/)
  expect(text).toContain(", the whole record")
})

it("a report needs a role", async () => {
  const proxy = await startSignInProxy((await nothing()).url, { people: { access: { roles: {} } } })
  expect((await send(proxy.url, `${REPORT}&format=csv`)).status).toBe(401)
  const ada = await proxy.signIn("Ada", [])
  expect(problemOf(await send(proxy.url, `${REPORT}&format=csv`, { headers: { ...ada } }))).toMatchObject({
    status: 403,
    code: "PROXY_NO_ROLE",
  })
})

it("a report leaves concealed Work out, and says whose report it is", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  await delegate(desk, "everybody's", "organization")
  await delegate(desk, "concealed", "private")
  await expect.poll(async () => (await ask(desk, desk.people.Cleo, `${REPORT}&format=csv`)).status).toBe(200)
  const reportFor = async (person: "Ben" | "Cleo" | "Dora") =>
    readReport((await ask(desk, desk.people[person], `${REPORT}&format=csv`)).text)
  const worksOf = ({ lines }: ReturnType<typeof readReport>) => lines.flatMap(({ work }) => work ?? [])
  const [ben, cleo, dora] = [await reportFor("Ben"), await reportFor("Cleo"), await reportFor("Dora")]
  expect([cleo.title, worksOf(cleo)]).toEqual([
    `Workdesk record from ${today} to ${tomorrow} (UTC), as seen by Cleo`,
    ["everybody's"],
  ])
  expect(cleo.lines.find(({ section }) => section === "total by person")).toMatchObject({ count: "1" })
  // Ben has created both, and Dora is an overseer.
  for (const whole of [ben, dora]) expect(worksOf(whole)).toEqual(["everybody's", "concealed"])
  expect(dora.title).toContain("as seen by Dora")
})

it("a person has one report at a time, and the desk two", async () => {
  const proxy = await startSignInProxy((await nothing()).url, { people: { access: SEES_ALL } })
  await fill(proxy.database)
  const people = await Promise.all(["Ada", "Ben", "Cleo"].map((name) => proxy.signIn(name, [])))
  const [ada = {}, ben = {}, cleo = {}] = people
  const report = async (person: object) => {
    const reply = await send(proxy.url, `${REPORT}&format=csv`, { headers: { ...person } })
    return reply.status === 200 ? { status: 200 } : { ...problemOf(reply), retry: reply.headers["retry-after"] }
  }
  const busy = { status: 503, code: "PROXY_REPORTS_BUSY", retryable: true, retry: "10" }
  const first = begin(proxy.port, ada)
  await expect.poll(() => report(ada)).toMatchObject({ ...busy, detail: expect.stringContaining("Your last report") })
  const second = begin(proxy.port, ben)
  await expect.poll(() => report(cleo)).toMatchObject({ ...busy, detail: expect.stringContaining("Other people's") })
  // A client that leaves makes room for another.
  first.destroy()
  await expect.poll(() => report(cleo)).toMatchObject({ status: 200 })
  second.destroy()
  await expect.poll(() => report(ben)).toMatchObject({ status: 200 })
}, 30_000)

it("a person can ask for ten reports in a minute", async () => {
  const proxy = await startSignInProxy((await nothing()).url, { people: { access: SEES_ALL } })
  const ada = await proxy.signIn("Ada", [])
  const statuses: number[] = []
  for (let turn = 0; turn < 11; turn++)
    statuses.push((await send(proxy.url, `${REPORT}&format=csv`, { headers: { ...ada } })).status)
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429])
})

it("a report ends when the client reads nothing of it", async () => {
  const store = await openStore()
  await fill(store.database)
  const timeouts = { ...TIMEOUTS, stalledDownload: 500 }
  const proxy = await startTestProxy((await nothing()).url, { ...store, timeouts })
  begin(proxy.port)
  const connections = () => new Promise((resolve) => proxy.server.getConnections((_, count) => resolve(count)))
  await expect.poll(connections).toBe(1)
  await expect.poll(connections, { timeout: 10_000 }).toBe(0)
})

it.each(["csv", "html"])("a report as %s is cut when the store goes away while it is written", async (format) => {
  let isAway = false
  const store = await openStore()
  await fill(store.database, 1_000)
  let reads = 0
  const database = changedDatabase(store.database, {
    read: (sql, ...values) => {
      if (sql.includes("person_name") && ++reads === 20) isAway = true
      return isAway ? Promise.reject(new Error("away")) : store.database.read(sql, ...values)
    },
  })
  const record = new DeskRecord({
    database,
    mode: "local",
    access: () => localPeople().access(),
    onStored: () => undefined,
    onFailed: () => undefined,
    onHead: () => undefined,
  })
  onTestFinished(() => record.stop())
  const proxy = await startTestProxy((await nothing()).url, { database, record })
  await expect(send(proxy.url, `${REPORT}&format=${format}`)).rejects.toThrow("aborted")
  isAway = false
  expect((await send(proxy.url, `${REPORT}&format=${format}`)).status).toBe(200)
})
