import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, it, onTestFinished } from "vitest"
import { sqliteFileIn } from "../store/sqlite-store.ts"
import { freePort } from "../store/testing/free-port.ts"
import { folderForTest } from "../store/testing/stores.ts"
import { startDesk } from "../../server.ts"
import { EVENT_MAX_BYTES } from "../proxy/event-reader.ts"
import { Metrics, serveMetrics } from "./metrics.ts"
import { startSignInProxy } from "../testing/sign-in.ts"
import { CANARY, MUTATION, send, startTestProxy } from "../testing/desk.ts"
import { ownJson, startUpstream, type Answering } from "../testing/upstreams.ts"
import { TIMEOUTS } from "../proxy/upstream.ts"

const ANY = { host: "127.0.0.1", port: 0 }

async function startMetrics() {
  const metrics = new Metrics()
  const { port, stop } = await serveMetrics(metrics, ANY)
  onTestFinished(stop)
  const url = `http://127.0.0.1:${port}/metrics`
  return { metrics, url, scrape: async () => (await fetch(url)).text() }
}

const answer: Answering = (heard, response) => {
  if (heard.url.includes("secret-html")) return void response.end("<html>")
  if (heard.url.endsWith("/events")) {
    response.writeHead(200, { "Content-Type": "text/event-stream" })
    return void response.write("id: 1\ndata: {}\n\n")
  }
  response.writeHead(heard.method === "POST" ? 201 : 200, {
    "Content-Type": "application/json",
    RateLimit: '"read";r=599;t=30',
  })
  response.end(ownJson(heard.url))
}

it("has requests, causes, streams, events, quotas and rows, and no id of a Work", async () => {
  const upstream = await startUpstream(answer)
  const { metrics, scrape, url } = await startMetrics()
  const proxy = await startTestProxy(upstream.url, { metrics })
  await send(proxy.url, "/api/v1/work/secret-id")
  await send(proxy.url, "/api/v1/work/secret-html")
  await send(proxy.url, "/api/v1/nothing")
  await send(proxy.url, "/api/v1/work", { method: "POST", headers: MUTATION, body: "{}" })
  const stream = await fetch(`${proxy.url}/api/v1/work/secret-id/events`)
  await stream.body?.getReader().read()
  await expect.poll(() => proxy.logged).toHaveLength(4)
  metrics.countRecordRows(1, 3)
  const text = await scrape()
  for (const line of [
    'workdesk_requests_total{operation="getWork",status="200"} 1',
    'workdesk_requests_total{operation="getWork",status="502"} 1',
    'workdesk_requests_total{operation="createWork",status="201"} 1',
    'workdesk_request_duration_seconds_count{operation="getWork",status="200"} 1',
    'workdesk_upstream_errors_total{cause="not_the_operation"} 1',
    'workdesk_refusals_total{reason="PROXY_PATH_UNKNOWN"} 1',
    'workdesk_open_streams{side="upstream"} 1',
    'workdesk_open_streams{side="viewer"} 1',
    "workdesk_delivered_events_total 1",
    'workdesk_quota_remaining{quota="read"} 599',
    "workdesk_watcher_open_works 0",
    "workdesk_record_rows_total 1",
    "workdesk_record_store_seconds_count 1",
  ]) {
    expect(text.split("\n")).toContain(line)
  }
  expect(text).toMatch(/^workdesk_nodejs_eventloop_lag_seconds /m)
  expect(text).toMatch(/^workdesk_process_resident_memory_bytes /m)
  expect(text.match(/^[a-z]\w*/gm)?.filter((name) => !name.startsWith("workdesk_"))).toEqual([])
  expect(text).not.toContain("secret-")
  const manual = readFileSync(join(import.meta.dirname, "../../../docs/operating.md"), "utf8")
  // Only a desk with PostgreSQL has connections.
  const elsewhere = ["workdesk_store_connections", "workdesk_store_waiting"]
  const documented = [...manual.matchAll(/`(workdesk_\w+[a-z])`/g)].map(([, name = ""]) => name)
  const served = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = ""]) => name)
  const own = served.filter((name) => !/^workdesk_(?:nodejs|process)_/.test(name))
  expect(documented.filter((name) => !served.includes(name))).toEqual(elsewhere)
  expect(own.filter((name) => !documented.includes(name))).toEqual([])
  // A second scrape does not count the same again.
  expect(await scrape()).toContain("workdesk_delivered_events_total 1\n")
  const second = await fetch(`${proxy.url}/api/v1/work/secret-id/events`)
  await second.body?.getReader().read()
  expect(await scrape()).toContain("workdesk_delivered_events_total 2\n")
  expect((await fetch(url.replace("/metrics", "/"))).status).toBe(404)
  expect((await fetch(url, { method: "POST" })).status).toBe(404)
})

it("has the desk's own requests, sessions, calls of the store, files and version, never NaN, and no new label with time", async () => {
  const upstream = await startUpstream((heard, response) => {
    const quotas = Array.from(
      { length: 50 },
      (_, index) => `"quota-${heard.headers["traceparent"] as string}-${index}";r=1`,
    )
    response.writeHead(200, { "Content-Type": "application/json", RateLimit: quotas.join(", ") })
    response.end('{"data":[]}')
  })
  const dataFolder = await folderForTest()
  const port = await freePort()
  const tokenFile = join(dataFolder, "token")
  writeFileSync(tokenFile, CANARY)
  const environment = { PORT: "0", DATA_DIR: dataFolder, METRICS_PORT: String(port), WORK_API_URL: upstream.url }
  const desk = await startDesk({ ...environment, WORK_API_TOKEN_FILE: tokenFile }, { log: () => undefined })
  onTestFinished(() => desk.stop())
  const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const seriesOf = (scraped: string) => [...scraped.matchAll(/^([^#\s]\S*) /gm)].map(([, series]) => series)
  const fromTheStart = seriesOf(await scrape())
  await send(desk.url, "/desk/session")
  await send(desk.url, "/desk/waiting")
  await send(desk.url, "/desk/nothing")
  await send(desk.url, "/api/v1/nothing")
  const text = await scrape()
  // The upstream chooses the names of the quotas.
  expect(
    seriesOf(text).filter((series) => !series?.startsWith("workdesk_quota_") && !fromTheStart.includes(series)),
  ).toEqual([])
  for (const channel of ["mail", "webhook", "chat", "push"]) {
    for (const outcome of ["sent", "refused", "failed", "dropped"])
      expect(text).toContain(`workdesk_notices_total{channel="${channel}",outcome="${outcome}"} 0\n`)
    expect(text).toContain(`workdesk_notices_unsent{channel="${channel}"} 0\n`)
    expect(text).toContain(`workdesk_notices_oldest_unsent_seconds{channel="${channel}"} 0\n`)
  }
  expect(text).toContain('workdesk_store_calls_total{kind="write",result="failed"} 0\n')
  expect(text).toContain('workdesk_upstream_errors_total{cause="timeout"} 0\n')
  expect(text).toContain('workdesk_desk_requests_total{route="/desk/record",status="503"} 0\n')
  expect(text).toContain('workdesk_sign_ins_total{result="provider_away"} 0\n')
  for (const line of [
    'workdesk_desk_requests_total{route="/desk/session",status="200"} 1',
    'workdesk_desk_requests_total{route="/desk/waiting",status="200"} 1',
    "workdesk_waiting_requests 0",
    "workdesk_sessions 0",
    "workdesk_record_chain_faults 0",
    'workdesk_file_faults{variable="WORK_API_TOKEN_FILE"} 0',
    expect.stringMatching(/^workdesk_store_calls_total\{kind="read",result="done"\} [1-9]/) as string,
    expect.stringMatching(/^workdesk_build_info\{version="[\d.]+",node="v[\d.]+"\} 1$/) as string,
  ]) {
    expect(text.split("\n")).toContainEqual(line)
  }
  for (let count = 0; count < 20; count++) await send(desk.url, "/api/v1/work")
  const before = await scrape()
  for (let count = 0; count < 200; count++) {
    if (count % 10 === 0) await send(desk.url, "/api/v1/work")
    const again = await scrape()
    expect(again).not.toMatch(/ (?:nan|9223372036\S*)$/im)
    expect(seriesOf(again)).toEqual(seriesOf(before))
  }
  writeFileSync(tokenFile, "")
  await expect.poll(scrape).toContain('workdesk_file_faults{variable="WORK_API_TOKEN_FILE"} 1\n')
}, 30_000)

it("counts a silent stream and a stream of no events among the upstream's errors", async () => {
  const upstream = await startUpstream((heard, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" })
    response.write(heard.url.includes("silent") ? ": once\n\n" : `data: ${"x".repeat(EVENT_MAX_BYTES + 1)}\n`)
  })
  const { metrics, scrape } = await startMetrics()
  const proxy = await startTestProxy(upstream.url, { metrics, timeouts: { ...TIMEOUTS, silentStream: 1_000 } })
  for (const work of ["silent", "endless"]) {
    await expect(send(proxy.url, `/api/v1/work/${work}/events`)).rejects.toThrow()
  }
  const text = await scrape()
  for (const cause of ["timeout", "not_the_operation"]) {
    expect(text).toContain(`workdesk_upstream_errors_total{cause="${cause}"} 1\n`)
  }
})

it("counts the rows of the record that the desk has stored, and no others", async () => {
  const upstream = await startUpstream(answer)
  const dataFolder = await folderForTest()
  const port = await freePort()
  const desk = await startDesk(
    {
      PORT: "0",
      DATA_DIR: dataFolder,
      METRICS_PORT: String(port),
      WORK_API_URL: upstream.url,
      WORK_API_TOKEN: CANARY,
    },
    { log: () => undefined },
  )
  onTestFinished(() => desk.stop())
  const post = () => send(desk.url, "/api/v1/work", { method: "POST", headers: MUTATION, body: "{}" })
  expect((await post()).status).toBe(201)
  const other = new DatabaseSync(sqliteFileIn(dataFolder))
  other.exec("BEGIN EXCLUSIVE")
  expect((await post()).status).toBe(503)
  other.close()
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  expect(text).toContain("workdesk_record_rows_total 2\n")
  expect(text).toContain("workdesk_record_store_seconds_count 2\n")
  expect(Number(/^workdesk_record_store_seconds_sum (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(0)
})

it("has the faults of the record's chain, and the log has the first of them in a line of level error", async () => {
  const upstream = await startUpstream(answer)
  const dataFolder = await folderForTest()
  const metricsPort = await freePort()
  const lines: string[] = []
  const desk = await startDesk(
    {
      PORT: "0",
      DATA_DIR: dataFolder,
      METRICS_PORT: String(metricsPort),
      WORK_API_URL: upstream.url,
      WORK_API_TOKEN: CANARY,
    },
    { log: (line) => lines.push(line) },
  )
  onTestFinished(() => desk.stop())
  await send(desk.url, "/api/v1/work", { method: "POST", headers: MUTATION, body: "{}" })
  using store = new DatabaseSync(sqliteFileIn(dataFolder))
  store.exec(`UPDATE record SET entry = '{}' WHERE sequence = 1`)
  await send(desk.url, "/desk/record")
  const scrape = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  await expect.poll(scrape).toMatch(/^workdesk_record_chain_faults [1-9]/m)
  const errors = lines.filter((line) => line.includes('"level":"error"'))
  expect(errors).toEqual([expect.stringContaining('"failure":"Row 1 was changed."')])
  expect(errors[0]).toContain("npm run record -- verify")
})

it("counts refusals of people without their ids", async () => {
  const { metrics, scrape } = await startMetrics()
  const proxy = await startSignInProxy((await startUpstream()).url, {
    metrics,
    people: { access: { roles: { reader: ["anyone"] } }, issuer: `http://127.0.0.1:${await freePort()}` },
  })
  const ada = await proxy.signIn("Ada", [])
  await send(proxy.url, "/api/v1/work")
  await send(proxy.url, "/api/v1/work", { method: "POST", headers: { ...MUTATION, ...ada }, body: "{}" })
  await send(proxy.url, "/desk/sign-in/callback?state=x")
  expect((await send(proxy.url, "/desk/sign-in")).status).toBe(502)
  await expect.poll(() => proxy.logged).toHaveLength(4)
  const text = await scrape()
  expect(text).toContain('workdesk_refusals_total{reason="PROXY_SIGNED_OUT"} 1')
  expect(text).toContain('workdesk_refusals_total{reason="PROXY_ROLE_MISSING"} 1')
  expect(text).toContain('workdesk_sign_ins_total{result="state_unknown"} 1')
  expect(text).toContain('workdesk_sign_ins_total{result="provider_away"} 1')
  expect(JSON.parse(proxy.logged.at(-1) ?? "")).toMatchObject({
    level: "error",
    status: 502,
    cause: "refused",
    failure: "provider_away: the provider isn't responding, ECONNREFUSED",
  })
  expect(text).not.toContain(ada["Desk-Person"])
  expect(text).not.toContain("Ada")
  expect(proxy.logged.map((line) => JSON.parse(line) as { person?: string }).map(({ person }) => person)).toContain(
    ada["Desk-Person"],
  )
})

it("shows the age of the oldest unsent notice in the scrape that counts it", async () => {
  const { metrics, scrape } = await startMetrics()
  let seconds = 7
  metrics.collectNotices(async () => ({
    mail: { unsent: 2, oldestSeconds: seconds },
    webhook: { unsent: 0, oldestSeconds: 0 },
  }))
  for (seconds of [7, 9]) {
    const text = await scrape()
    expect(text).toContain('workdesk_notices_unsent{channel="mail"} 2')
    expect(text).toContain(`workdesk_notices_oldest_unsent_seconds{channel="mail"} ${seconds}`)
  }
})
