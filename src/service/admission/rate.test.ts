import { writeFile } from "node:fs/promises"
import { parseList } from "structured-headers"
import { expect, test } from "vitest"
import { type Answer, call } from "../testing/client.ts"
import { ALICE, BOB, credentials, serviceForTest, eventually } from "../testing/test-service.ts"

/** The first item of a structured list, and its parameters. */
function itemOf(header: string | string[] | undefined): [unknown, Record<string, unknown>] {
  const [item] = parseList(String(header))
  if (item === undefined) throw new TypeError("the list is empty")
  return [item[0], Object.fromEntries(item[1])]
}

const budgetOf = ({ headers }: Answer) => itemOf(headers["ratelimit"])

test("each credential has a budget of reads and a budget of writes", async () => {
  const service = await serviceForTest({ configuration: { limits: { readPerMinute: 3, writePerMinute: 2 } } })
  const statuses: number[] = []
  for (let count = 0; count < 5; count++) statuses.push((await service.get("/api/v1/work")).status)
  expect(statuses).toEqual([200, 200, 200, 429, 429])
  expect((await service.get("/api/v1/work", { token: BOB })).status).toBe(200)
  const write = await service.post("/api/v1/uploads", {})
  expect(write.status).toBe(400)
  expect(itemOf(write.headers["ratelimit-policy"])).toEqual(["write", { q: 2, w: 60 }])
  expect(budgetOf(write)).toEqual(["write", { r: 1, t: 30 }])
})

test("a quota refills evenly, and Retry-After says when the next request is admitted", async () => {
  const service = await serviceForTest({ configuration: { limits: { readPerMinute: 120 } } })
  let answer = await service.get("/api/v1/work")
  while (answer.status === 200) answer = await service.get("/api/v1/work")
  expect(answer.status).toBe(429)
  expect(answer.headers["retry-after"]).toBe("1")
  expect(answer.body).toMatchObject({ code: "RATE_LIMITED", retryable: true })
  // A request is admitted each half second. With a fixed window it would take a minute.
  await eventually(async () => expect((await service.get("/api/v1/work")).status).toBe(200))
})

test("every 401 counts against the budget of the client's address, and requests with a valid credential do not", async () => {
  const service = await serviceForTest({ configuration: { limits: { unauthenticatedPerMinute: 3 } } })
  const wrong = () => service.get("/nowhere", { token: "wrong" })
  expect(budgetOf(await wrong())[0]).toBe("unauthenticated")
  await wrong()
  expect((await call(service.url, "GET", "/api/v1/work")).status).toBe(401)
  expect(await wrong()).toMatchObject({ status: 429, headers: { "retry-after": expect.any(String) } })
  expect((await service.get("/api/v1/work", { token: ALICE })).status).toBe(200)
})

test("every answer has the RateLimit of its budget", async () => {
  const service = await serviceForTest()
  const work = await service.work()
  for (const target of ["/nowhere", "/api/v1/work", `/api/v1/work/${work}`, "/api/v1/work/x", "/api/v1/work?limit=0"]) {
    expect(budgetOf(await service.get(target))[0]).toBe("read")
  }
})

test("a changed quota takes effect", async () => {
  const service = await serviceForTest()
  await writeFile(service.configFile, JSON.stringify({ credentials, limits: { readPerMinute: 7 } }))
  const policy = async () => itemOf((await service.get("/api/v1/work")).headers["ratelimit-policy"])
  await eventually(async () => expect(await policy()).toEqual(["read", { q: 7, w: 60 }]))
})

test("the additional requests of a raised quota are available at once", async () => {
  const service = await serviceForTest({ configuration: { limits: { readPerMinute: 1 } } })
  const status = async () => (await service.get("/api/v1/work")).status
  expect([await status(), await status()]).toEqual([200, 429])
  await writeFile(service.configFile, JSON.stringify({ credentials, limits: { readPerMinute: 5 } }))
  await eventually(async () => expect(await status()).toBe(200))
  // Refilling alone would admit one request in twelve seconds.
  expect([await status(), await status(), await status()]).toEqual([200, 200, 200])
})
