import { randomUUID } from "node:crypto"
import { Client } from "pg"
import { expect, onTestFinished, test } from "vitest"
import { DecidingUpstream } from "../../../e2e/deciding-upstream.ts"
import { SignedInPerson, openSignedInDesk } from "../../../e2e/signed-in-desk.ts"
import { openDatabaseForReading } from "../store/open-store.ts"
import { HostileProvider } from "../people/testing/hostile-provider.ts"
import { PostgresServer } from "../store/testing/postgres.ts"
import { folderForTest } from "../store/testing/stores.ts"
import { verify } from "./hash-chain.ts"

test("a desk whose PostgreSQL is killed answers 503, sends nothing without a row, and heals by itself", async () => {
  const server = await PostgresServer.start()
  onTestFinished(() => server.stop())
  const upstream = await DecidingUpstream.start()
  onTestFinished(() => upstream.stop())
  const provider = await HostileProvider.start()
  provider.claims = { sub: "ada", name: "Ada", groups: ["finance"], auth_time: Math.floor(Date.now() / 1_000) }
  const databaseUrl = await server.newDatabase()
  const desk = await openSignedInDesk({
    provider,
    upstreamUrl: upstream.url,
    folder: await folderForTest(),
    environment: { DESK_DATABASE_URL: databaseUrl },
  })
  onTestFinished(() => desk.stop())
  const ada = await SignedInPerson.signIn(desk.url)
  expect(await ada.decide(desk.url, "w1", randomUUID())).toMatchObject({ status: 200 })

  // PostgreSQL is killed while the upstream decides: the answer comes, and the desk keeps the outcome.
  const key = randomUUID()
  upstream.steps.done = () => server.kill()
  expect(await ada.decide(desk.url, "w2", key)).toMatchObject({ status: 200 })
  upstream.steps = {}
  // The desk remembers a session for a moment, and a process of the killed server may live a moment longer.
  await expect
    .poll(() => ada.get(desk.url, "/api/v1/work"))
    .toMatchObject({ status: 503, body: { code: "PROXY_STORE_UNAVAILABLE" } })
  const refused = await ada.decide(desk.url, "w3", randomUUID())
  expect(refused).toMatchObject({ status: 503, body: { code: "PROXY_STORE_UNAVAILABLE", retryable: true } })
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
  expect(await ada.get(desk.url, "/desk/ready")).toMatchObject({ status: 200 })
  expect(upstream.heard).toHaveLength(2)

  await server.restart()
  await expect.poll(async () => (await ada.decide(desk.url, "w3", randomUUID())).status).toBe(200)
  await expect
    .poll(() => ada.get(desk.url, "/desk/record?work=w2"))
    .toMatchObject({ body: { data: [{ outcome: "recorded", status: 200 }] } })
  expect(await ada.decide(desk.url, "w2", key)).toMatchObject({ headers: { "idempotent-replayed": "true" } })
  const database = await openDatabaseForReading({ dataFolder: "/unused", databaseUrl })
  onTestFinished(() => database.close())
  expect(await verify(database)).toMatchObject({ faults: [] })
  expect(desk.output()).toContain("the record could not be written or read")
  expect(desk.output()).not.toContain(databaseUrl)
})

test("the log of a refused statement has PostgreSQL's code, the statement and the constraint, and no value", async () => {
  const server = await PostgresServer.start()
  onTestFinished(() => server.stop())
  const upstream = await DecidingUpstream.start()
  onTestFinished(() => upstream.stop())
  const provider = await HostileProvider.start()
  provider.claims = { sub: "ada", name: "Ada", groups: ["finance"], auth_time: Math.floor(Date.now() / 1_000) }
  const databaseUrl = await server.newDatabase()
  const desk = await openSignedInDesk({
    provider,
    upstreamUrl: upstream.url,
    folder: await folderForTest(),
    environment: { DESK_DATABASE_URL: databaseUrl },
  })
  onTestFinished(() => desk.stop())
  const ada = await SignedInPerson.signIn(desk.url)
  const client = new Client(databaseUrl)
  await client.connect()
  onTestFinished(() => client.end())

  const { headers } = await ada.get(desk.url, "/desk/views")
  await client.query("ALTER TABLE saved_views ADD CONSTRAINT never CHECK (views = '')")
  const put = await fetch(`${desk.url}/desk/views`, {
    method: "PUT",
    headers: { ...ada.headers, "content-type": "application/json", "if-match": String(headers["etag"]) },
    body: JSON.stringify({ views: [{ name: "canary-name", query: "" }] }),
  })
  expect(put.status).toBe(500)
  await expect
    .poll(desk.output)
    .toContain("StatementError 23514 in INSERT saved_views, schema public, table saved_views, constraint never")

  await client.query("ALTER TABLE saved_views RENAME TO elsewhere")
  expect(await ada.get(desk.url, "/desk/views")).toMatchObject({ status: 500 })
  await expect.poll(desk.output).toContain("StatementError 42P01 in SELECT saved_views")
  expect(desk.output()).not.toContain("canary-name")
})
