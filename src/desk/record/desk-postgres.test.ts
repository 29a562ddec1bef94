import { randomUUID } from "node:crypto"
import { Client } from "pg"
import { expect, onTestFinished, test } from "vitest"
import { DecidingUpstream } from "../../../e2e/deciding-upstream.ts"
import { SignedInPerson, openSignedInDesk } from "../../../e2e/signed-in-desk.ts"
import { openDatabaseForReading } from "../store/open-store.ts"
import { HostileProvider } from "../people/testing/hostile-provider.ts"
import { PostgresServer } from "../store/testing/postgres.ts"
import { databaseForTest, folderForTest } from "../store/testing/stores.ts"
import { parseAccess } from "../people/access-file.ts"
import { DeskRecord } from "./desk-record.ts"
import { attemptsWith } from "./gate/idempotency-keys.ts"
import { verify } from "./chain-verification.ts"
import { ACCESS, ada, creation, success } from "./testing/deciding.ts"

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
  expect(desk.output()).toContain("the record couldn't be written or read")
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

test("a request that a desk of schema 3 has recorded during an upgrade counts as an attempt", async () => {
  const server = await PostgresServer.start()
  onTestFinished(() => server.stop())
  const configuration = { dataFolder: await folderForTest(), databaseUrl: await server.newDatabase() }
  const database = await databaseForTest(configuration)
  const unused = () => undefined
  const parts = { mode: "sign-in", access: () => parseAccess(JSON.stringify(ACCESS)), onStored: unused } as const
  const record = new DeskRecord({ database, ...parts, onFailed: unused, onHead: unused })
  onTestFinished(() => record.stop())
  const mutation = creation()
  const prepared = await record.prepare(ada, mutation, {
    approvals: async () => Buffer.from("{}"),
    isClarificationListed: async () => true,
    colleague: async () => "analyst",
    isTooLarge: () => false,
    knownColleague: () => undefined,
  })
  if (prepared.kind !== "send") throw new Error(JSON.stringify(prepared))
  await prepared.storeOutcome(success({ id: "work_1" }, { status: 201 }))
  const before = await attemptsWith(database, mutation, "ada")
  expect(before).toMatchObject([{ personId: "ada", outcome: "recorded" }])

  // A desk of schema 3 appends the same rows, and knows no other table of attempts.
  await database.write("CREATE TABLE kept AS SELECT * FROM record")
  await database.write("DELETE FROM record")
  await database.write("DELETE FROM attempt")
  const append = (condition: string) =>
    database.write(`INSERT INTO record SELECT * FROM kept WHERE ${condition} ORDER BY sequence`)
  await append("outcome IS NULL")
  expect(await attemptsWith(database, mutation, "ada")).toMatchObject([{ personId: "ada", outcome: "unknown" }])
  await append("outcome IS NOT NULL")
  expect(await attemptsWith(database, mutation, "ada")).toEqual(before)
})
