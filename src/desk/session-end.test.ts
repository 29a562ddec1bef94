/** What lasts ends with its session, and an approve is sent only with the groups of the last sign-in. */
import { expect, it } from "vitest"
import { approval } from "./record/testing/deciding.ts"
import { send } from "./testing/desk.ts"
import { reply, startUpstream } from "./testing/upstreams.ts"
import { startSignInProxy } from "./testing/sign-in.ts"

const everything = { roles: { reader: ["anyone"], delegator: ["anyone"] }, visibility: { overseers: ["anyone"] } }

it("a download that has begun breaks off when its session ends, and the upstream's connection ends", async () => {
  const upstream = await startUpstream((heard, response) => {
    const isContent = heard.url.endsWith("/content")
    response.writeHead(200, { "Content-Type": isContent ? "application/octet-stream" : "application/json" })
    if (isContent) response.write("the beginning")
    else response.end('{"id":"w","data":[{"id":"a"}]}')
  })
  const proxy = await startSignInProxy(upstream.url, { people: { access: everything } })
  const ada = await proxy.signIn("Ada", [])
  const answer = await fetch(`${proxy.url}/api/v1/work/w/artifacts/a/content`, { headers: { ...ada } })
  const reader = answer.body?.getReader()
  expect(String(Buffer.from((await reader?.read())?.value ?? []))).toBe("the beginning")
  const rest = reader?.read()
  expect((await send(proxy.url, "/desk/sign-out", { method: "POST", headers: { ...ada } })).status).toBe(200)
  await expect(rest).rejects.toThrow()
  await expect.poll(() => upstream.openStreams()).toBe(0)
})

it("an export that waits is refused when its session ends", async () => {
  const upstream = await startUpstream((heard, response) => {
    // The desk reads each Work of the record that it does not know. This one never gets an answer.
    if (heard.method === "GET" && heard.url === "/api/v1/work/w") return
    response.writeHead(heard.method === "POST" ? 201 : 200, { "Content-Type": "application/json" })
    response.end(heard.method === "POST" ? '{"id":"w"}' : '{"data":[]}')
  })
  const proxy = await startSignInProxy(upstream.url, {
    people: { access: { roles: { reader: ["anyone"], delegator: ["group:ops"] }, visibility: {} } },
  })
  const [ada, ben] = [await proxy.signIn("Ada", ["ops"]), await proxy.signIn("Ben", [])]
  const created = await send(proxy.url, "/api/v1/work", {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": "k", ...ada },
    body: "{}",
  })
  expect(created.status).toBe(201)
  const exported = send(proxy.url, "/desk/record", { headers: { Accept: "application/jsonl", ...ben } })
  await expect.poll(() => upstream.heard.some(({ url }) => url === "/api/v1/work/w")).toBe(true)
  expect((await send(proxy.url, "/desk/sign-out", { method: "POST", headers: { ...ben } })).status).toBe(200)
  expect((await exported).status).toBe(401)
})

it("an approve isn't sent if a new sign-in without the group of a rule comes while the service is read", async () => {
  const { promise: isSignedIn, resolve: onSignedIn } = Promise.withResolvers<void>()
  const approvals = JSON.stringify({ id: "w", data: [approval({ work_id: "w", id: "a" })] })
  const answer = reply(200, "application/json", approvals)
  const upstream = await startUpstream((heard, response) => {
    if (heard.url !== "/api/v1/work/w/approvals") return answer(heard, response)
    void isSignedIn.then(() => answer(heard, response))
  })
  const proxy = await startSignInProxy(upstream.url, {
    people: {
      access: {
        roles: { reader: ["anyone"], approver: ["anyone"] },
        visibility: { overseers: ["anyone"] },
        rules: [{ approvers: ["group:finance"] }],
      },
    },
  })
  const ada = await proxy.signIn("Ada", ["finance"])
  const isRead = () => upstream.heard.some(({ url }) => url === "/api/v1/work/w/approvals")
  const approve = send(proxy.url, "/api/v1/work/w/approvals/a/resolve", {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": "k", "If-Match": '"1"', ...ada },
    body: '{"decision":"approve"}',
  })
  await expect.poll(isRead).toBe(true)
  await proxy.signIn("Ada", [])
  onSignedIn()
  expect((await approve).status).toBe(403)
  expect(upstream.heard.filter(({ method }) => method === "POST")).toEqual([])
})
