import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { createLocalJWKSet, jwtVerify } from "jose"
import { expect, test } from "vitest"
import { send } from "../../testing/desk.ts"
import { approvalWork, putChoice, questionWork, signInAndChoose } from "../../testing/notices.ts"
import type { NoticeDesk } from "../../testing/notices.ts"
import type { PersonHeaders } from "../../testing/sign-in.ts"
import type { FakeWork } from "../../watcher/testing/simulation.ts"
import { SENTENCES } from "../own-work.ts"
import { addDevice, CONTACT, deskWithPush } from "../../testing/push.ts"
import { decryptPush } from "./push-receiver.ts"

const settingsOf = async (desk: NoticeDesk, headers: PersonHeaders) => {
  const answer = await send(desk.url, "/desk/notices", { headers: { ...headers } })
  return { choice: JSON.parse(answer.text), etag: String(answer.headers["etag"]) }
}

/** Changes the person's choice, as the page does. */
async function choose(desk: NoticeDesk, headers: PersonHeaders, change: object) {
  const { choice, etag } = await settingsOf(desk, headers)
  const changed = await putChoice(desk, headers, { ...choice, ...change }, etag)
  expect(changed.status, changed.text).toBe(200)
}

const unsent = (desk: NoticeDesk) => desk.database.read("SELECT answer FROM notice_delivery WHERE settled_at IS NULL")

test("a person with a device hears what is new, encrypted for the device and signed for its service, whatever the mail's choice is", async () => {
  const works = [approvalWork("old", 300)]
  const desk = await deskWithPush(works)
  const ada = await signInAndChoose(desk, "ada", ["finance"], { mail: "off" })
  const browser = await addDevice(desk, ada, "ada")
  expect((await settingsOf(desk, ada)).choice.push).toBe(true)
  works.push(approvalWork("1", 0, {}, { json: { priority: "urgent" } }))
  const { received } = desk.service
  await expect.poll(() => received.length).toBe(1)
  const [pushed] = received
  if (pushed === undefined) throw new Error("nothing was pushed")
  // No digest: the older item is not among them.
  expect(JSON.parse(decryptPush(pushed.body, browser))).toEqual({
    kind: "approval",
    number: 1,
    path: "/approvals?item=approval_1",
  })
  const { headers } = pushed
  expect(headers).toMatchObject({ ttl: "3600", urgency: "high", "content-encoding": "aes128gcm" })
  expect(headers["topic"]).toMatch(/^[\w-]{32}$/)
  const [, token = "", key = ""] = /^vapid t=([^,]+), k=([\w-]+)$/.exec(String(headers.authorization)) ?? []
  const { key: told } = JSON.parse((await send(desk.url, "/desk/push", { headers: { ...ada } })).text)
  expect(key).toBe(told)
  const point = Buffer.from(key, "base64url")
  const half = (begin: number) => point.subarray(begin, begin + 32).toString("base64url")
  const keys = createLocalJWKSet({ keys: [{ kty: "EC", crv: "P-256", alg: "ES256", x: half(1), y: half(33) }] })
  const { payload } = await jwtVerify(token, keys, { audience: "https://a.push.example", subject: CONTACT })
  expect(Number(payload.exp) * 1_000 - Date.now()).toBeLessThanOrEqual(86_400_000)
  await expect.poll(() => unsent(desk)).toEqual([])
  expect(received).toHaveLength(1)
  expect(desk.logged.join("\n")).not.toContain("push.example")
})

test("one message tells what is new in the batch, and the topic is one for each person", async () => {
  const works: FakeWork[] = []
  const desk = await deskWithPush(works)
  const people = await Promise.all(
    ["ada", "ben"].map(async (name) => {
      const headers = await signInAndChoose(desk, name, ["finance", "ops"])
      return { name, browser: await addDevice(desk, headers, name) }
    }),
  )
  works.push(approvalWork("1"), questionWork("2"), approvalWork("3"))
  await expect.poll(() => desk.service.received.length).toBe(2)
  works.splice(0)
  works.push(questionWork("4"))
  await expect.poll(() => desk.service.received.length).toBe(4)
  const heard = people.map(({ name, browser }) => {
    const own = desk.service.received.filter(({ path }) => path === `/${name}`)
    expect(new Set(own.map(({ headers }) => headers["topic"])).size).toBe(1)
    return own.map(({ body, headers }) => [JSON.parse(decryptPush(body, browser)), headers["urgency"]])
  })
  const expected = [
    [{ kind: "items", number: 3, path: "/approvals" }, "normal"],
    [{ kind: "clarification", number: 1, path: "/needs-you?item=question_4" }, "normal"],
  ]
  expect(heard).toEqual([expected, expected])
  expect(new Set(desk.service.received.map(({ headers }) => headers["topic"])).size).toBe(2)
})

test("the choice Push silences every device, what came meanwhile is not told later, and quiet hours hold", async () => {
  const works: FakeWork[] = []
  const desk = await deskWithPush(works)
  const ada = await signInAndChoose(desk, "ada", ["finance"])
  const ben = await signInAndChoose(desk, "ben", ["finance"])
  await addDevice(desk, ada, "ada")
  await addDevice(desk, ben, "ben")
  await choose(desk, ada, { push: false })
  const paths = () => desk.service.received.map(({ path }) => path)
  works.push(approvalWork("1"))
  await expect.poll(paths).toEqual(["/ben"])
  await choose(desk, ada, { push: true })
  const hour = (add: number) => `${String((new Date().getUTCHours() + add + 24) % 24).padStart(2, "0")}:00`
  await choose(desk, ben, { quiet_from: hour(-1), quiet_until: hour(2) })
  works.push(approvalWork("2"))
  await expect.poll(paths).toEqual(["/ben", "/ada"])
  await expect.poll(() => unsent(desk)).toEqual([])
  await choose(desk, ben, { quiet_from: null, quiet_until: null })
  await expect.poll(paths).toEqual(["/ben", "/ada", "/ben"])
})

test("an older app's choice without `push` changes nothing of it", async () => {
  const desk = await deskWithPush([])
  const ada = await signInAndChoose(desk, "ada", ["finance"])
  await addDevice(desk, ada, "ada")
  const { choice, etag } = await settingsOf(desk, ada)
  const { push: _push, ...older } = choice
  expect(JSON.parse((await putChoice(desk, ada, { ...older, mail: "daily" }, etag)).text)).toMatchObject({ push: true })
})

test("404 and 410 remove the device, anything else is tried again, and no redirect is followed", async () => {
  const works: FakeWork[] = []
  const desk = await deskWithPush(works)
  const gone = ["404", "410"]
  const failing = ["301", "400", "403", "413", "429", "500", "503"]
  // Each person has a device that answers with a status, and one that takes everything.
  for (const status of [...gone, ...failing]) {
    const person = await signInAndChoose(desk, `p${status}`, ["finance"])
    await addDevice(desk, person, status)
    await addDevice(desk, person, `well-${status}`)
  }
  const { service } = desk
  service.control.answer = ({ path }) => (path.startsWith("/well") ? 201 : Number(path.slice(1)))
  works.push(approvalWork("1"))
  const outcomes = async () => {
    const rows = await desk.database.read("SELECT outcome, answer FROM notice_delivery ORDER BY answer, outcome")
    return rows.map(({ outcome, answer }) => `${String(outcome ?? "unsent")} ${answer}`)
  }
  const sent = (statuses: readonly string[]) => statuses.map(() => "sent 201")
  const unsentNow = failing.map((status) => `unsent ${status}`)
  await expect.poll(outcomes, { timeout: 10_000 }).toEqual([...sent(gone), ...unsentNow])
  const rows = await desk.database.read("SELECT endpoint FROM push_device ORDER BY endpoint")
  const left = rows.map(({ endpoint }) => String(endpoint).slice("https://a.push.example/".length))
  expect(left).toEqual([...failing, ...[...failing, ...gone].toSorted().map((status) => `well-${status}`)])

  service.control.answer = ({ path }) => (path === "/413" ? 413 : 201)
  const afterRetry = async () => {
    await desk.database.write("UPDATE notice_delivery SET due_at = 0 WHERE settled_at IS NULL")
    return outcomes()
  }
  // As with a mail, the sixth failure is the last.
  const others = failing.filter((status) => status !== "413")
  await expect.poll(afterRetry, { timeout: 15_000 }).toEqual([...sent(gone), ...sent(others), "failed 413"])
  const heard = Map.groupBy(service.received, ({ path }) => path.slice(1))
  const times = (name: string) => heard.get(name)?.length ?? 0
  expect(times("413")).toBe(6)
  for (const status of gone) expect(times(status), status).toBe(1)
  for (const status of others) expect(times(status), status).toBeGreaterThan(1)
  for (const status of [...gone, ...failing]) expect(times(`well-${status}`), status).toBe(1)
  expect(heard.has("redirected")).toBe(false)
}, 60_000)

test("a push service that accepts and does not answer delays no device at another one", async () => {
  const works: FakeWork[] = []
  const desk = await deskWithPush(works)
  const { promise: released, resolve: release } = Promise.withResolvers<number>()
  desk.service.control.answer = ({ path }) => (path.startsWith("/stalled") ? released : 201)
  const ada = await signInAndChoose(desk, "ada", ["finance"])
  await addDevice(desk, ada, "ada")
  const names = ["ada", "ben", "cleo"]
  for (const name of names) {
    const headers = name === "ada" ? ada : await signInAndChoose(desk, name, ["finance"])
    for (const host of ["b", "c"]) await addDevice(desk, headers, `stalled-${host}-${name}`, `${host}.push.example`)
  }
  const heard = (start: string) => desk.service.received.filter(({ path }) => path.startsWith(start)).length
  for (const count of [1, 2, 3]) {
    works.push(approvalWork(String(count)))
    await expect.poll(() => heard("/ada"), { timeout: 40_000 }).toBe(count)
  }
  // Two deliveries are under way to each of the two stalled hosts.
  expect(heard("/stalled")).toBe(4)
  release(201)
  await expect.poll(() => unsent(desk), { timeout: 20_000 }).toEqual([])
  for (const name of names) for (const host of ["b", "c"]) expect(heard(`/stalled-${host}-${name}`)).toBe(3)
  expect(heard("/ada")).toBe(3)
  const outcomes = await desk.database.read("SELECT outcome, attempts FROM notice_delivery")
  expect(outcomes).toEqual(Array.from({ length: 9 }, () => ({ outcome: "sent", attempts: 1 })))
}, 180_000)

test("nobody hears of what they may not decide, or what is decided before the push leaves", async () => {
  const works: FakeWork[] = []
  const desk = await deskWithPush(works)
  const reader = await signInAndChoose(desk, "cleo", ["staff"])
  await addDevice(desk, reader, "cleo")
  const ada = await signInAndChoose(desk, "ada", ["finance"])
  const browser = await addDevice(desk, ada, "ada")
  desk.service.control.answer = () => 503
  works.push(approvalWork("1"), approvalWork("2"))
  await expect.poll(() => unsent(desk)).toEqual([{ answer: "503" }])
  // No attempt until the desk knows that the item has ended.
  await desk.database.write("UPDATE notice_delivery SET due_at = due_at + 3600000 WHERE settled_at IS NULL")
  works.splice(0, 1)
  const seen = async () => JSON.parse((await send(desk.url, "/desk/waiting", { headers: { ...ada } })).text)
  await expect.poll(async () => (await seen()).approvals.length, { timeout: 40_000 }).toBe(1)
  desk.service.control.answer = () => 201
  await desk.database.write("UPDATE notice_delivery SET due_at = 0 WHERE settled_at IS NULL")
  await expect.poll(() => unsent(desk), { timeout: 10_000 }).toEqual([])
  const heard = desk.service.received.map(({ path, body }) => [path, JSON.parse(decryptPush(body, browser)).path])
  expect(heard).toEqual([
    ["/ada", "/approvals"],
    ["/ada", "/approvals?item=approval_2"],
  ])
}, 60_000)

test("a test goes to one device of the person, and not twice within ten seconds", async () => {
  const desk = await deskWithPush([])
  const ada = await signInAndChoose(desk, "ada", ["finance"])
  const ben = await signInAndChoose(desk, "ben", ["finance"])
  const browser = await addDevice(desk, ada, "first")
  await addDevice(desk, ada, "second")
  const { devices } = JSON.parse((await send(desk.url, "/desk/push", { headers: { ...ada } })).text)
  const [{ id }] = devices
  const post = (headers: PersonHeaders) =>
    send(desk.url, `/desk/push/${id}/test`, { method: "POST", headers: { ...headers } })
  expect((await post(ben)).status).toBe(404)
  const sent = await post(ada)
  expect([sent.status, JSON.parse(sent.text).state]).toEqual([200, "delivered"])
  expect((await post(ada)).status).toBe(429)
  const [pushed] = desk.service.received
  expect([pushed?.path, JSON.parse(decryptPush(pushed?.body ?? Buffer.of(), browser))]).toEqual([
    "/first",
    { kind: "test", number: 1, path: "/notices" },
  ])
  expect(desk.service.received).toHaveLength(1)
})

test("the worker says of each step of own Work what a mail says", async () => {
  const worker = await readFile(join(import.meta.dirname, "../../../../public/push.js"), "utf8")
  for (const [kind, sentence] of Object.entries(SENTENCES)) expect(worker).toContain(`"${kind}": () => "${sentence}",`)
})
