import { expect, test } from "vitest"
import { send } from "../../testing/desk.ts"
import { approvalWork, deskWithNotices, signInAndChoose } from "../../testing/notices.ts"
import { addDevice, CONTACT, deviceBody, postDevice, pushForTest } from "../../testing/push.ts"
import { Sessions } from "../../people/sessions.ts"
import { databaseForTest, describeStores } from "../../store/testing/stores.ts"
import type { FakeWork } from "../../watcher/testing/simulation.ts"
import { decryptPush } from "./push-receiver.ts"
import { readVapid } from "./vapid.ts"

describeStores("two desks with push", ({ newStore }) => {
  /** Two desks of one store, whose devices lead to one push service. */
  async function startDesks(works: FakeWork[]) {
    const where = await newStore()
    const { service, channel } = await pushForTest()
    const start = async (notices = channel) =>
      deskWithNotices(works, [notices], { database: await databaseForTest(where) })
    const one = await start()
    const other = await start((await pushForTest(0, service)).channel)
    return { one, other, service }
  }

  test("push once, whichever of them looks, and have one key", async () => {
    const works: FakeWork[] = []
    const { one, other, service } = await startDesks(works)
    const ada = await signInAndChoose(one, "ada", ["finance"])
    const browser = await addDevice(other, ada, "ada")
    const heard = () => service.received.map(({ body }) => JSON.parse(decryptPush(body, browser)).path)
    const expected: string[] = []
    for (const id of ["1", "2"]) {
      works.push(approvalWork(id))
      expected.push(`/approvals?item=approval_${id}`)
      await expect.poll(heard, { timeout: 15_000 }).toEqual(expected)
      const unsent = () => one.database.read("SELECT 1 FROM notice_delivery WHERE settled_at IS NULL")
      await expect.poll(unsent).toEqual([])
      // As if the desk that looked had ended.
      await one.database.write("UPDATE lease SET holder = 'a desk that ended', expires_at = 0 WHERE name = 'notices'")
    }
    const keys = await Promise.all(
      [one, other].map(
        async ({ url }) => JSON.parse((await send(url, "/desk/push", { headers: { ...ada } })).text).key,
      ),
    )
    expect(new Set([...keys, (await readVapid(one.database, CONTACT)).publicKey]).size).toBe(1)
    expect(heard()).toEqual(expected)
  }, 60_000)

  test("keep a device once, give it to who has the browser, and remove it at each desk", async () => {
    const { one, other } = await startDesks([])
    const ada = await one.signIn("ada", ["finance"])
    const ben = await one.signIn("ben", ["finance"])
    const devices = async () =>
      (await one.database.read("SELECT person_id, endpoint, label FROM push_device ORDER BY endpoint")).map((row) =>
        Object.values(row).join(" "),
      )
    const of = (person: typeof ada, name: string) =>
      `${person["Desk-Person"]} https://a.push.example/${name} Firefox on Linux`
    const answers = await Promise.all([one, other, one, other].map((desk) => postDevice(desk, ada, deviceBody("same"))))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(new Set(answers.map(({ text }) => JSON.parse(text).id)).size).toBe(1)
    await addDevice(other, ada, "second")
    expect(await devices()).toEqual([of(ada, "same"), of(ada, "second")])
    expect((await postDevice(one, ben, deviceBody("same"))).status).toBe(201)
    expect(await devices()).toEqual([of(ben, "same"), of(ada, "second")])

    const sessions = new Sessions(one.database, { idleMs: 60_000, maxMs: 60_000, issuer: "" }, () => true)
    const [session] = await one.database.read("SELECT id FROM session WHERE person_id = ?", ben["Desk-Person"])
    const identity = { issuer: "http://127.0.0.1:1", subject: "cleo", groups: ["staff"] }
    await sessions.begin({ name: "cleo", identity, sid: undefined, authTime: undefined }, [String(session?.["id"])])
    sessions.stop()
    expect(await devices()).toEqual([of(ada, "second")])
    const { devices: own } = JSON.parse((await send(other.url, "/desk/push", { headers: { ...ada } })).text)
    const removed = await send(one.url, `/desk/push/${own[0].id}`, { method: "DELETE", headers: { ...ada } })
    expect([removed.status, await devices()]).toEqual([204, []])
  })
})
