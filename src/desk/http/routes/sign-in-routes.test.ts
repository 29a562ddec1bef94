/** The whole desk in sign-in mode over real HTTP: which addresses are open to whom. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { operations } from "../../../contract/operations.ts"
import type { Role } from "../../../contract/desk-people.ts"
import { operationsOf, roleFor, ROLES } from "../../../contract/roles.ts"
import { CLIENT_ID, HostileProvider } from "../../people/testing/hostile-provider.ts"
import { startDesk } from "../../../server.ts"
import { open } from "../../../service/testing/client.ts"
import { CANARY, checkLog, problemOf, type Reply, send } from "../../testing/desk.ts"
import { startUpstream, ownJson } from "../../testing/upstreams.ts"

// Only redirects and the cookie's name have this port. The desk listens on a free port.
const PUBLIC_URL = "http://127.0.0.1:9"
const COOKIE = "workdesk-9"
const CALLBACK = "/desk/sign-in/callback"
const ACCESS = {
  contact: "Grace in room 4",
  roles: Object.fromEntries(ROLES.map((role) => [role, [`group:${role}`]])),
}

async function start() {
  const folder = await mkdtemp(join(tmpdir(), "workdesk-sign-in-"))
  const accessFile = join(folder, "access.json")
  await writeFile(accessFile, JSON.stringify(ACCESS))
  const provider = await HostileProvider.start()
  const upstream = await startUpstream((heard, response) => {
    const isStream = heard.url.includes("/events")
    response.writeHead(200, { "Content-Type": isStream ? "text/event-stream" : "application/json" })
    if (isStream) response.write(": heartbeat\n\n")
    else response.end(ownJson(heard.url))
  })
  const logged: string[] = []
  const desk = await startDesk(
    {
      PORT: "0",
      DATA_DIR: folder,
      WORK_API_URL: upstream.url,
      WORK_API_TOKEN: CANARY,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT_ID,
      PUBLIC_URL,
      ACCESS_FILE: accessFile,
    },
    { log: (line) => logged.push(line) },
  )
  onTestFinished(async () => {
    await desk.stop()
    await rm(folder, { recursive: true })
    checkLog(logged)
  })
  return { url: desk.url, provider, upstream, logged, accessFile }
}

type Desk = Awaited<ReturnType<typeof start>>

const cookiesOf = (reply: Reply) =>
  (reply.headers["set-cookie"] ?? [])
    .filter((line) => !line.includes("Max-Age=0"))
    .map((line) => line.split(";", 1)[0])
    .join("; ")

/** Signs in somebody with these groups. */
async function signIn(
  { url, provider }: Desk,
  groups: readonly string[],
  subject = groups.join("+") || "nobody",
  claims: object = {},
) {
  provider.claims = { sub: subject, name: subject, groups: [...groups], ...claims }
  const begun = await send(url, "/desk/sign-in?return=/work")
  const provided = await fetch(begun.headers.location ?? "", { redirect: "manual" })
  const back = new URL(provided.headers.get("location") ?? "")
  const finished = await send(url, back.pathname + back.search, { headers: { cookie: cookiesOf(begun) } })
  expect([finished.status, finished.headers.location]).toEqual([303, "/work"])
  const cookie = cookiesOf(finished)
  const session: unknown = JSON.parse((await send(url, "/desk/session", { headers: { cookie } })).text)
  const { person } = session as { person: { id: string; roles: Role[] } }
  return { cookie, person, headers: { cookie, "desk-person": person.id } }
}

const targetOf = (path: string) => path.replaceAll(/\{\w+\}/g, "x")
const mutationOf = (method: string) =>
  method === "POST"
    ? { headers: { "content-type": "application/json", "idempotency-key": "k", "if-match": '"1"' }, body: "{}" }
    : { headers: {} }

describe("without a session", () => {
  it("everything below /api and /desk is 401 except the public addresses, and the upstream hears nothing", async () => {
    const desk = await start()
    const addresses =
      "/api /api/ /api/v1/token /desk /desk/ /desk/record /desk/waiting /desk/views /desk/sign-out /desk/session/touch " +
      "/desk/nothing /desk/session/ /desk/sign-in/"
    const paths = [...Object.values(operations).map(({ path }) => targetOf(path)), ...addresses.split(" ")]
    for (const path of paths) {
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const reply = await send(desk.url, path, { method, ...mutationOf(method) })
        expect([method, path, reply.status]).toEqual([method, path, 401])
        if (method !== "HEAD") expect(problemOf(reply).code).toBe("PROXY_SIGNED_OUT")
      }
    }
    expect(desk.upstream.heard).toEqual([])
  })

  it("headers that name a person have no effect", async () => {
    const { url, upstream } = await start()
    const names = ["X-Forwarded-User", "X_Forwarded_User", "Tailscale-User-Login", "Remote-User", "Desk-Person"]
    const headers = { ...Object.fromEntries(names.map((name) => [name, "local"])), Authorization: `Bearer ${CANARY}` }
    expect((await send(url, "/api/v1/work", { headers })).status).toBe(401)
    expect(upstream.heard).toEqual([])
  })

  it("/desk/session says only that, and health, readiness and the app's files are served", async () => {
    const { url } = await start()
    const session = JSON.parse((await send(url, "/desk/session")).text)
    expect(session).toEqual({ mode: "sign-in", person: null, version: expect.any(String) })
    for (const path of ["/desk/health", "/desk/ready"]) expect((await send(url, path)).status).toBe(200)
    expect((await send(url, "/nothing.js")).status).toBe(404)
  })

  it("the guards of Host and origin come first", async () => {
    const { url } = await start()
    const statusOf = async (headers: Record<string, string>) => (await send(url, "/api/v1/work", { headers })).status
    expect(await statusOf({ host: "evil.example" })).toBe(421)
    expect(await statusOf({ host: "localhost" })).toBe(421)
    expect(await statusOf({ "sec-fetch-site": "cross-site" })).toBe(403)
    expect(await statusOf({ origin: "https://evil.example" })).toBe(403)
  })
})

describe("the addresses of the sign-in", () => {
  const fromElsewhere = { "sec-fetch-site": "cross-site" }
  const navigation = { ...fromElsewhere, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }

  it.each([
    ["GET", CALLBACK, navigation, 400],
    ["GET", CALLBACK, { ...navigation, "sec-fetch-dest": "iframe" }, 403],
    ["GET", CALLBACK, { ...fromElsewhere, "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }, 403],
    ["GET", CALLBACK, { ...fromElsewhere, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }, 403],
    ["POST", CALLBACK, navigation, 403],
    ["GET", "/desk/sign-in", navigation, 403],
    ["GET", "/desk/session", navigation, 403],
    ["POST", "/desk/sign-out", { origin: "https://evil.example" }, 403],
    ["POST", "/desk/session/touch", fromElsewhere, 403],
  ])("%s %s from another site, %j: %d", async (method, path, headers, status) => {
    const { url } = await start()
    expect((await send(url, path, { method, headers })).status).toBe(status)
  })

  it("accept only the Host of PUBLIC_URL", async () => {
    const { url } = await start()
    const headers = { host: "127.0.0.1:1", "x-forwarded-host": "evil.example", forwarded: "host=evil.example" }
    const begun = await send(url, "/desk/sign-in?return=//evil.example", { headers })
    const asked = new URL(begun.headers.location ?? "").searchParams
    expect(asked.get("redirect_uri")).toBe(`${PUBLIC_URL}${CALLBACK}`)
  })

  it("answer a failed sign-in with a page in plain words, without script and without quoting the request", async () => {
    const desk = await start()
    const reply = await send(desk.url, `${CALLBACK}?state=%3Cscript%3E&error_description=%3Cimg%20src%3Dx%3E`)
    expect([reply.status, reply.headers["content-type"]]).toEqual([400, "text/html; charset=utf-8"])
    expect(reply.headers["content-security-policy"]).toContain("default-src 'none'")
    expect(reply.text).toMatch(/<a href="\/desk\/sign-in\?return=%2F">Sign in again<\/a>/)
    expect(reply.text).not.toMatch(/<script|<img/)
    expect(desk.logged.join("\n")).toContain('"failure":"state_unknown"')
  })

  it("sign out once, and touch only a session that exists", async () => {
    const desk = await start()
    const { headers } = await signIn(desk, ["reader"])
    const post = (path: string) => send(desk.url, path, { method: "POST", headers })
    expect((await post("/desk/session/touch")).status).toBe(200)
    const left = await post("/desk/sign-out")
    expect(JSON.parse(left.text)).toEqual({
      location: `${desk.provider.issuer}/end?post_logout_redirect_uri=${encodeURIComponent(`${PUBLIC_URL}/`)}&client_id=${CLIENT_ID}`,
    })
    for (const path of ["/desk/session/touch", "/desk/sign-out"]) expect((await post(path)).status).toBe(401)
  })

  it("leave a warning with the opaque id of the person whose address is verified in words", async () => {
    const desk = await start()
    const { person } = await signIn(desk, ["reader"], "ada", { email: "ada@example.com", email_verified: "true" })
    const lines = desk.logged.filter((line) => line.includes("email_verified")).map((line) => JSON.parse(line))
    expect(lines).toMatchObject([
      { level: "warn", person: person.id, failure: expect.stringContaining("not a boolean") },
    ])
    expect(desk.logged.join("\n")).not.toContain("ada@example.com")
  })

  it("accept a logout token as a form, once", async () => {
    const desk = await start()
    const { headers } = await signIn(desk, ["reader"], "ada")
    const token = await desk.provider.logoutToken({ sub: "ada" })
    const post = (body: string, type = "application/x-www-form-urlencoded") =>
      send(desk.url, "/desk/sign-out/back", { method: "POST", headers: { "content-type": type }, body })
    const form = new URLSearchParams({ logout_token: token }).toString()
    expect((await post(form, "application/json")).status).toBe(400)
    expect((await post(`${form}&${form}`)).status).toBe(400)
    expect((await post("")).status).toBe(400)
    expect((await send(desk.url, "/api/v1/work", { headers })).status).toBe(200)
    expect((await post(form)).status).toBe(200)
    expect((await send(desk.url, "/api/v1/work", { headers })).status).toBe(401)
    expect((await post(form)).status).toBe(400)
  })
})

describe("with a session", () => {
  it.each<{ roles: readonly Role[] }>([...ROLES.map((role) => ({ roles: [role] })), { roles: ROLES }, { roles: [] }])(
    "the roles $roles have their operations and no others",
    async ({ roles }) => {
      const desk = await start()
      const { headers } = await signIn(desk, roles)
      const allowed = operationsOf(roles)
      for (const { id, method, path } of Object.values(operations)) {
        if (id === "streamWorkEvents") continue
        const { headers: needed, ...rest } = mutationOf(method)
        const reply = await send(desk.url, targetOf(path), { method, ...rest, headers: { ...headers, ...needed } })
        if (allowed.includes(id)) {
          expect([id, reply.status === 401 || reply.text.includes("PROXY_ROLE_MISSING")]).toEqual([id, false])
          continue
        }
        const { code, detail } = problemOf(reply)
        expect([id, reply.status, code]).toEqual([id, 403, roles.length === 0 ? "PROXY_NO_ROLE" : "PROXY_ROLE_MISSING"])
        if (roles.length > 0) expect(detail).toContain(roleFor(id))
        expect(detail).toContain("Grace in room 4")
      }
      const heard = desk.upstream.heard.map(({ url }) => url)
      if (roles.length === 0) expect(heard).toEqual([])
    },
  )

  it("a page of another person gets 409, for reads too, and a mutation must name its person", async () => {
    const desk = await start()
    const ada = await signIn(desk, ["delegator"], "ada")
    const ben = await signIn(desk, ["delegator"], "ben")
    const headers = { cookie: ben.cookie, "desk-person": ada.person.id }
    const reads = await send(desk.url, "/api/v1/work", { headers })
    expect([reads.status, problemOf(reads).code]).toEqual([409, "PROXY_PERSON_CHANGED"])
    const { headers: needed, body = "" } = mutationOf("POST")
    const post = (more: Record<string, string>) =>
      send(desk.url, "/api/v1/work", { method: "POST", headers: { ...needed, ...more }, body })
    const changed = await post(headers)
    expect([changed.status, problemOf(changed).code]).toEqual([409, "PROXY_PERSON_CHANGED"])
    const missing = await post({ cookie: ben.cookie })
    expect([missing.status, problemOf(missing).code]).toEqual([403, "PROXY_PERSON_MISSING"])
    expect(desk.upstream.heard).toEqual([])
    await send(desk.url, "/api/v1/work", { headers: ben.headers })
    expect(Object.keys(desk.upstream.heard[0]?.headers ?? {})).not.toContain("desk-person")
    expect(JSON.stringify(desk.upstream.heard)).not.toContain(ben.cookie)
  })

  it.each<[string, (desk: Desk, cookie: string) => Promise<unknown>]>([
    ["signs out", ({ url }, cookie) => send(url, "/desk/sign-out", { method: "POST", headers: { cookie } })],
    [
      "is signed out by the provider",
      async ({ url, provider }) => {
        const body = new URLSearchParams({ logout_token: await provider.logoutToken({ sub: "ada" }) }).toString()
        const headers = { "content-type": "application/x-www-form-urlencoded" }
        return send(url, "/desk/sign-out/back", { method: "POST", headers, body })
      },
    ],
  ])("a stream ends when the person %s", async (_, end) => {
    const desk = await start()
    const { headers, cookie } = await signIn(desk, ["reader"], "ada")
    const stream = await open(desk.url, "GET", "/api/v1/work/x/events", { headers })
    expect(stream.statusCode).toBe(200)
    const ended = new Promise((resolve) => stream.on("close", resolve))
    stream.on("error", () => undefined).resume()
    await end(desk, cookie)
    await ended
  })

  it("/desk/session has everything that the app needs", async () => {
    const desk = await start()
    const began = Date.now()
    const { headers } = await signIn(desk, ["reader"], "ada")
    const session = JSON.parse((await send(desk.url, "/desk/session", { headers })).text)
    expect(session).toMatchObject({
      mode: "sign-in",
      person: { name: "ada", roles: ["reader"], operations: operationsOf(["reader"]) },
      contact: "Grace in room 4",
      upstream: "127.0.0.1",
    })
    expect(Date.parse(session.ends_at)).toBeGreaterThanOrEqual(began + 7_200_000)
    expect(Date.parse(session.ends_at)).toBeLessThanOrEqual(Date.now() + 7_200_000)
  })
})

it(`the cookie of a desk at ${PUBLIC_URL} is ${COOKIE}`, async () => {
  const desk = await start()
  expect((await signIn(desk, ["reader"])).cookie).toMatch(new RegExp(`^${COOKIE}=[\\w-]{43}$`))
})
