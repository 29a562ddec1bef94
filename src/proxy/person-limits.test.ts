import { expect, it } from "vitest"
import { DEFAULT_LIMITS } from "./desk-configuration.ts"
import { startSignInProxy, type PersonHeaders, type SignInProxy } from "./testing/sign-in.ts"
import { MUTATION, problemOf, send, startTestProxy, startUpstream } from "./testing/proxy.ts"

const limits = { ...DEFAULT_LIMITS, personRequestsPerMinute: 10 }

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

it("local mode has no such limit", async () => {
  const upstream = await startUpstream()
  const proxy = await startTestProxy(upstream.url, { limits })
  for (let count = 0; count < 20; count++) expect((await send(proxy.url, "/api/v1/work")).status).toBe(200)
})
