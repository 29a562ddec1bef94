import { expect, onTestFinished, test } from "vitest"
import { endSessions, forgetPerson } from "../../people/administration.ts"
import { Sessions } from "../../people/sessions.ts"
import { send } from "../../testing/desk.ts"
import { approvalWork, deskWithNotices, type NoticeDesk, signInAndChoose } from "../../testing/notices.ts"
import { addDevice, deskWithPush, deviceBody, postDevice } from "../../testing/push.ts"
import type { PersonHeaders } from "../../testing/sign-in.ts"
import type { FakeWork } from "../../watcher/testing/simulation.ts"

const ask = (desk: NoticeDesk, headers: PersonHeaders, path = "", method = "GET") =>
  send(desk.url, `/desk/push${path}`, { method, headers: { ...headers } })

const devicesOf = async (desk: NoticeDesk, headers: PersonHeaders) =>
  JSON.parse((await ask(desk, headers)).text).devices

test("a device is new once, is the person's own, and can be removed", async () => {
  const desk = await deskWithPush([])
  const ada = await desk.signIn("ada", ["finance"])
  const ben = await desk.signIn("ben", ["staff"])
  expect(JSON.parse((await ask(desk, ada)).text)).toEqual({ key: expect.stringMatching(/^[\w-]{87}$/), devices: [] })
  const body = deviceBody("1")
  const first = await postDevice(desk, ada, body)
  const device = { id: expect.any(String), label: "Firefox on Linux", since: expect.stringMatching(/^\d{4}-.*Z$/) }
  expect([first.status, JSON.parse(first.text)]).toEqual([201, device])
  const again = await postDevice(desk, ada, { ...body, label: "Firefox on Windows" })
  const { id, since } = JSON.parse(first.text)
  expect([again.status, JSON.parse(again.text)]).toEqual([200, { id, label: "Firefox on Windows", since }])
  expect(await devicesOf(desk, ada)).toEqual([{ id, label: "Firefox on Windows", since }])
  const respelled = await postDevice(desk, ada, { ...body, endpoint: "https://A.push.example:443/1" })
  expect([respelled.status, JSON.parse(respelled.text).id]).toEqual([200, id])
  expect(await devicesOf(desk, ben)).toEqual([])
  expect((await ask(desk, ben, `/${id}`, "DELETE")).status).toBe(404)
  expect((await ask(desk, ada, `/${id}`, "DELETE")).status).toBe(204)
  expect((await ask(desk, ada, `/${id}`, "DELETE")).status).toBe(404)
  expect(await devicesOf(desk, ada)).toEqual([])
})

test("a person has at most ten devices, and an endpoint has one person", async () => {
  const desk = await deskWithPush([])
  const ada = await desk.signIn("ada", ["finance"])
  const ben = await desk.signIn("ben", ["staff"])
  for (let count = 1; count <= 10; count++) await addDevice(desk, ada, String(count))
  const eleventh = await postDevice(desk, ada, deviceBody("11"))
  expect([eleventh.status, JSON.parse(eleventh.text).code]).toEqual([409, "PROXY_PUSH_TOO_MANY"])
  expect((await postDevice(desk, ada, deviceBody("10"))).status).toBe(200)
  expect((await postDevice(desk, ben, deviceBody("10"))).status).toBe(201)
  expect([(await devicesOf(desk, ada)).length, (await devicesOf(desk, ben)).length]).toEqual([9, 1])
  // Devices at hosts that the desk allows no more are not shown, so the person could not remove them.
  await desk.database.write("UPDATE push_device SET endpoint = 'https://old.example/' || id")
  for (let count = 1; count <= 10; count++) await addDevice(desk, ada, `new-${count}`)
})

const good = deviceBody("1")
test.each<[string, unknown]>([
  ["no object", []],
  ["no keys", { ...good, keys: undefined }],
  ["keys that are none", { ...good, keys: { p256dh: "AAAA", auth: good.keys.auth } }],
  [
    "a point that is not on the curve",
    { ...good, keys: { ...good.keys, p256dh: Buffer.alloc(65, 4).toString("base64url") } },
  ],
  ["plain http", { ...good, endpoint: "http://a.push.example/1" }],
  ["another port", { ...good, endpoint: "https://a.push.example:8443/1" }],
  ["a user", { ...good, endpoint: "https://a.push.example@evil.example/1" }],
  ["another host", { ...good, endpoint: "https://evil.example/1" }],
  ["a host that only ends alike", { ...good, endpoint: "https://apush.example/1" }],
  ["the bare name below a star", { ...good, endpoint: "https://push.example/1" }],
  ["an address of this machine", { ...good, endpoint: "https://127.0.0.1/1" }],
  ["a backslash", { ...good, endpoint: "https://evil.example\\.a.push.example/1" }],
  ["a host without a name below the star", { ...good, endpoint: "https://.push.example/1" }],
  ["a fragment", { ...good, endpoint: "https://evil.example#.a.push.example/1" }],
  ["too long an endpoint", { ...good, endpoint: `https://a.push.example/${"1".repeat(2_000)}` }],
  ["no label", { ...good, label: " " }],
  ["a label that turns text around", { ...good, label: "Firefox\u202E" }],
  ["too long a label", { ...good, label: "x".repeat(101) }],
])("a device with %s is 400", async (_, body) => {
  const desk = await deskWithPush([])
  const ada = await desk.signIn("ada", ["finance"])
  const refused = await postDevice(desk, ada, body)
  expect([refused.status, JSON.parse(refused.text).code]).toEqual([400, "PROXY_PUSH_INVALID"])
  expect(await devicesOf(desk, ada)).toEqual([])
})

test("a device that left while a push to it was under way gets nothing more, and the end of a session's time changes nothing", async () => {
  const works: FakeWork[] = []
  const desk = await deskWithPush(works)
  const { service, database } = desk
  const sessions = new Sessions(database, { idleMs: 3_600_000, maxMs: 7_200_000, issuer: "" }, () => true)
  onTestFinished(() => sessions.stop())
  const newPerson = async (name: string) => {
    const headers = await signInAndChoose(desk, name, ["finance"])
    await addDevice(desk, headers, name)
    return headers
  }
  const leaving = {
    "signs-out": async (headers: PersonHeaders) => {
      const out = await send(desk.url, "/desk/sign-out", { method: "POST", headers: { ...headers } })
      expect(out.status).toBe(200)
    },
    removes: async (headers: PersonHeaders) => {
      const [{ id }] = await devicesOf(desk, headers)
      expect((await ask(desk, headers, `/${id}`, "DELETE")).status).toBe(204)
    },
    "is-forgotten": ({ "Desk-Person": id }: PersonHeaders) => forgetPerson(database, id),
    "is-signed-out": ({ "Desk-Person": id }: PersonHeaders) => endSessions(database, id),
    // Another person signs in in the browser.
    "leaves-the-browser": async ({ "Desk-Person": id }: PersonHeaders) => {
      const [session] = await database.read("SELECT id FROM session WHERE person_id = ?", id)
      const identity = { issuer: "http://127.0.0.1:1", subject: "another", groups: ["staff"] }
      const begun = { name: "another", identity, sid: undefined, authTime: undefined }
      await sessions.begin(begun, [String(session?.["id"])])
    },
    "gives-the-endpoint-away": async () => {
      const other = await signInAndChoose(desk, "other", ["staff"])
      expect((await postDevice(desk, other, deviceBody("gives-the-endpoint-away"))).status).toBe(201)
    },
  }
  const people = new Map<string, PersonHeaders>()
  for (const name of ["stays", ...Object.keys(leaving)]) people.set(name, await newPerson(name))

  const answered = Promise.withResolvers<number>()
  service.control.answer = () => answered.promise
  works.push(approvalWork("1"))
  // All devices are at one host, and at most two messages to a host are under way.
  await expect.poll(() => service.received.length).toBe(2)
  for (const [name, leave] of Object.entries(leaving)) {
    const headers = people.get(name)
    if (headers !== undefined) await leave(headers)
  }
  await database.write("UPDATE session SET began_at = 1, touched_at = 1")
  const before = service.received.map(({ path }) => path.slice(1))
  service.control.answer = () => 201
  answered.resolve(503)
  const unsent = async () => {
    await database.write("UPDATE notice_delivery SET due_at = 0 WHERE settled_at IS NULL")
    return database.read("SELECT recipient FROM notice_delivery WHERE settled_at IS NULL")
  }
  await expect.poll(unsent, { timeout: 10_000 }).toEqual([])
  works.push(approvalWork("2"))
  const after = () => service.received.slice(before.length).map(({ path }) => path)
  // One push for what failed before, or was not sent yet, and one for the new approval.
  await expect.poll(after, { timeout: 10_000 }).toEqual(["/stays", "/stays"])
  await expect.poll(unsent).toEqual([])
  expect(after()).toEqual(["/stays", "/stays"])
}, 30_000)

test("sign-out, the end of a person's sessions and forgetting remove the devices, and a session whose time is over does not", async () => {
  const desk = await deskWithPush([])
  const rows = async () =>
    (await desk.database.read("SELECT endpoint FROM push_device ORDER BY endpoint")).map(({ endpoint }) =>
      String(endpoint).slice(-1),
    )
  const [ada, adaElsewhere, ben, cleo] = [
    await desk.signIn("ada", ["finance"]),
    await desk.signIn("ada", ["finance"]),
    await desk.signIn("ben", ["staff"]),
    await desk.signIn("cleo", ["staff"]),
  ]
  await addDevice(desk, ada, "1")
  await addDevice(desk, adaElsewhere, "2")
  await addDevice(desk, ben, "3")
  await addDevice(desk, cleo, "4")
  const out = await send(desk.url, "/desk/sign-out", { method: "POST", headers: { ...ada } })
  expect(out.status).toBe(200)
  expect(await rows()).toEqual(["2", "3", "4"])
  await desk.database.write("UPDATE session SET began_at = 1, touched_at = 1")
  expect((await postDevice(desk, ada, deviceBody("5"))).status).toBe(401)
  expect(await rows()).toEqual(["2", "3", "4"])
  await endSessions(desk.database, ben["Desk-Person"])
  expect(await rows()).toEqual(["2", "4"])
  await forgetPerson(desk.database, cleo["Desk-Person"])
  expect(await rows()).toEqual(["2"])
})

test("the addresses are closed: without a session, without a role, from another site, and where the desk has no push", async () => {
  const desk = await deskWithPush([])
  expect((await send(desk.url, "/desk/push")).status).toBe(401)
  const ada = await desk.signIn("ada", ["finance"])
  const nobody = await desk.signIn("nobody", [])
  expect((await ask(desk, nobody)).status).toBe(403)
  expect((await postDevice(desk, nobody, good)).status).toBe(403)
  const elsewhere = { ...ada, "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" }
  expect((await postDevice(desk, elsewhere, good)).status).toBe(403)
  const without = await deskWithNotices([], [])
  const eve = await without.signIn("eve", ["finance"])
  expect((await ask(without, eve)).status).toBe(404)
  expect((await postDevice(without, eve, good)).status).toBe(404)
})
