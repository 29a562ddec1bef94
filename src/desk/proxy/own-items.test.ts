/** An item of an address belongs to the Work of the address, although the service may not look at the Work at all. */
import { expect, test } from "vitest"
import { operations } from "../../contract/operations.ts"
import { toldBy } from "../testing/concealed-work.ts"
import { MUTATION, send } from "../testing/desk.ts"
import { startUpstream, type Answering } from "../testing/upstreams.ts"
import { startSignInProxy } from "../testing/sign-in.ts"

const ACCESS = {
  roles: { reader: ["anyone"], answerer: ["anyone"] },
  visibility: { overseers: ["group:audit"] },
}

/** A service that finds an item by its own id alone. `mine` is in the Work `w`, and `foreign` in another Work. */
const careless: Answering = ({ method, url }, response) => {
  const list = { data: [{ id: "mine", work_id: "w", status: "open" }] }
  const work = { id: "w", status: "needs_you", visibility_scope: "organization" }
  const isContent = url.endsWith("/content")
  response.writeHead(200, { "Content-Type": isContent ? "application/octet-stream" : "application/json" })
  if (isContent) return void response.end("the content")
  const answer = method === "POST" ? { status: "resolved" } : url === "/api/v1/work/w" ? work : list
  response.end(JSON.stringify(answer))
}

async function startCareless() {
  const upstream = await startUpstream(careless)
  const proxy = await startSignInProxy(upstream.url, { people: { access: ACCESS } })
  const sentTo = (operation: "resolveWorkAttention" | "downloadWorkArtifact", item: string) =>
    upstream.heard.filter(({ method, url }) => method === operations[operation].method && url.includes(`/${item}/`))
      .length
  return { upstream, proxy, sentTo }
}

const answerTo = (item: string, key = item) => ({
  path: `/api/v1/work/w/attention/${item}/resolve`,
  how: {
    method: "POST",
    headers: { ...MUTATION, "Idempotency-Key": key, "If-Match": '"1"' },
    body: '{"response":"x"}',
  },
})

test("an answer to a clarification of another Work is 404 and reaches no service", async () => {
  const { proxy, sentTo } = await startCareless()
  const ada = await proxy.signIn("Ada", [])
  const post = ({ path, how }: ReturnType<typeof answerTo>) =>
    send(proxy.url, path, { ...how, headers: { ...how.headers, ...ada } })
  const [foreign, unknown] = [await post(answerTo("foreign")), await post(answerTo("unknown"))]
  expect([foreign.status, foreign.headers["content-type"]]).toEqual([404, "application/problem+json"])
  expect(toldBy(foreign)).toEqual(toldBy(unknown))
  expect((await post(answerTo("mine"))).status).toBe(200)
  expect([sentTo("resolveWorkAttention", "foreign"), sentTo("resolveWorkAttention", "mine")]).toEqual([0, 1])
})

test("an answer is sent again under its key, and after another's answer, although no list has the clarification any more", async () => {
  let isListed = true
  const upstream = await startUpstream((heard, response) => {
    if (heard.method === "POST" || !heard.url.endsWith("/attention") || isListed) return careless(heard, response)
    response.writeHead(200, { "Content-Type": "application/json" }).end('{"data":[]}')
  })
  const proxy = await startSignInProxy(upstream.url, { people: { access: ACCESS } })
  const [ada, ben] = [await proxy.signIn("Ada", []), await proxy.signIn("Ben", [])]
  const { path, how } = answerTo("mine")
  const post = async (person: typeof ada, key: string) =>
    (await send(proxy.url, path, { ...how, headers: { ...how.headers, ...person, "Idempotency-Key": key } })).status
  expect(await post(ada, "one")).toBe(200)
  isListed = false
  expect([await post(ada, "one"), await post(ben, "two")]).toEqual([200, 200])
})

test("an answer is not sent while the list cannot be read", async () => {
  const upstream = await startUpstream((heard, response) => {
    if (!heard.url.endsWith("/attention")) return careless(heard, response)
    response.writeHead(200, { "Content-Type": "text/html" }).end("<p>")
  })
  const proxy = await startSignInProxy(upstream.url, { people: { access: ACCESS } })
  const { path, how } = answerTo("mine")
  const headers = { ...how.headers, ...(await proxy.signIn("Ada", [])) }
  expect((await send(proxy.url, path, { ...how, headers })).status).toBe(502)
  expect(upstream.heard.filter(({ method }) => method === "POST")).toEqual([])
})

test("the content of another Work's Artifact is 404 and not asked for, except by who sees all Work", async () => {
  const { proxy, sentTo } = await startCareless()
  const [ada, dora] = [await proxy.signIn("Ada", []), await proxy.signIn("Dora", ["audit"])]
  const download = (person: typeof ada, item: string) =>
    send(proxy.url, `/api/v1/work/w/artifacts/${item}/content`, { headers: person })
  const [foreign, unknown] = [await download(ada, "foreign"), await download(ada, "unknown")]
  expect([foreign.status, toldBy(foreign)]).toEqual([404, toldBy(unknown)])
  expect((await download(ada, "mine")).text).toBe("the content")
  expect(sentTo("downloadWorkArtifact", "foreign")).toBe(0)
  expect((await download(dora, "foreign")).status).toBe(200)
})
