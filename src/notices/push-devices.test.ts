import { expect, test } from "vitest"
import { endSessions, forgetPerson } from "../people/administration.ts"
import { send } from "../desk/testing/desk.ts"
import { deskWithNotices, type NoticeDesk } from "../desk/testing/notices.ts"
import { addDevice, deskWithPush, deviceBody, postDevice } from "../desk/testing/push.ts"
import type { PersonHeaders } from "../desk/testing/sign-in.ts"

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
