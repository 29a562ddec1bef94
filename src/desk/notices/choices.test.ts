import { expect, test } from "vitest"
import { send } from "../testing/desk.ts"
import { approvalWork, deskWithNotices, mailTo, putChoice, signInAndChoose } from "../testing/notices.ts"
import { headerOf, MailServerForTest, textOf } from "./testing/mail-server.ts"

const CHOICE = {
  mail: "daily",
  urgent_at_once: false,
  quiet_from: "20:00",
  quiet_until: "07:30",
  time_zone: "Europe/Berlin",
}
const NO_CHANNEL = [] as const

test("a person's choice is Hourly at first, is changed with its ETag, and is the person's own", async () => {
  const desk = await deskWithNotices([], NO_CHANNEL)
  const ada = await desk.signIn("ada", ["finance"])
  const ben = await desk.signIn("ben", ["finance"])
  const first = await send(desk.url, "/desk/notices", { headers: ada })
  expect(JSON.parse(first.text)).toEqual({
    mail: "hourly",
    urgent_at_once: true,
    quiet_from: null,
    quiet_until: null,
    time_zone: "UTC",
    own_work: "end",
    push: false,
    last_delivery: null,
    etag: first.headers["etag"],
  })
  const etag = String(first.headers["etag"])
  const changed = await putChoice(desk, ada, CHOICE, etag)
  expect([changed.status, JSON.parse(changed.text)]).toEqual([
    200,
    { ...CHOICE, own_work: "end", push: false, last_delivery: null, etag: changed.headers["etag"] },
  ])
  for (const ifMatch of [etag, String(changed.headers["etag"])]) {
    // A balancer sends a request twice.
    const again = await putChoice(desk, ada, CHOICE, ifMatch)
    expect([again.status, again.text, again.headers["etag"]]).toEqual([200, changed.text, changed.headers["etag"]])
  }
  expect((await putChoice(desk, ada, { ...CHOICE, mail: "off" }, etag)).status).toBe(412)
  const { "If-Match": _none, ...headers } = { ...ada, "Content-Type": "application/json", "If-Match": "" }
  const without = await send(desk.url, "/desk/notices", { method: "PUT", headers, body: JSON.stringify(CHOICE) })
  expect(without.status).toBe(428)
  expect(JSON.parse((await send(desk.url, "/desk/notices", { headers: ben })).text).mail).toBe("hourly")
  expect((await send(desk.url, "/desk/notices")).status).toBe(401)
})

test("the choice about own Work is changed like the others, and an app that does not know it keeps it", async () => {
  const desk = await deskWithNotices([], NO_CHANNEL)
  const ada = await desk.signIn("ada", ["finance"])
  const ownWork = async () => JSON.parse((await send(desk.url, "/desk/notices", { headers: ada })).text).own_work
  for (const [index, own_work] of (["steps", "off", "end", "steps"] as const).entries()) {
    expect((await putChoice(desk, ada, { ...CHOICE, own_work }, `"${index}"`)).status).toBe(200)
    expect(await ownWork()).toBe(own_work)
  }
  expect((await putChoice(desk, ada, CHOICE, '"4"')).status).toBe(200)
  expect(await ownWork()).toBe("steps")
})

test("a zone keeps the name that the browser told", async () => {
  const desk = await deskWithNotices([], NO_CHANNEL)
  const ada = await desk.signIn("ada", ["finance"])
  // Node's own name is Asia/Calcutta.
  const changed = await putChoice(desk, ada, { ...CHOICE, time_zone: "Asia/Kolkata" }, '"0"')
  expect(JSON.parse(changed.text).time_zone).toBe("Asia/Kolkata")
})

test.each([
  ["no object", []],
  ["a choice that there is not", { ...CHOICE, mail: "weekly" }],
  ["a choice about own Work that there is not", { ...CHOICE, own_work: "every" }],
  ["a missing member", { mail: "off" }],
  ["one quiet hour alone", { ...CHOICE, quiet_until: null }],
  ["quiet hours without an end", { ...CHOICE, quiet_until: "20:00" }],
  ["a time that there is not", { ...CHOICE, quiet_from: "24:00" }],
  ["a zone that there is not", { ...CHOICE, time_zone: "Europe/Berlin\r\nBcc: eve@example.com" }],
])("a choice with %s is 400 and changes nothing", async (_, body) => {
  const desk = await deskWithNotices([], NO_CHANNEL)
  const ada = await desk.signIn("ada", ["finance"])
  const refused = await putChoice(desk, ada, body, '"0"')
  expect([refused.status, JSON.parse(refused.text).code]).toEqual([400, "PROXY_NOTICES_INVALID"])
  expect((await putChoice(desk, ada, CHOICE, '"0"')).status).toBe(200)
})

test("the link of a mail switches mail off by POST alone, from any site and without a session", async () => {
  const mail = await MailServerForTest.start()
  const publicUrl = new URL("https://desk.example")
  const works = [approvalWork("1")]
  const desk = await deskWithNotices(works, [mailTo(mail.port, { publicUrl })], {}, { publicUrl })
  const ada = await signInAndChoose(desk, "ada", ["finance"])
  await expect.poll(() => mail.received.length).toBe(1)
  const [received] = mail.received
  const link = /^<(https:\/\/desk\.example\/desk\/notices\/unsubscribe\?token=[\w.-]+)>$/.exec(
    headerOf(received, "List-Unsubscribe") ?? "",
  )?.[1]
  expect(headerOf(received, "List-Unsubscribe-Post")).toBe("List-Unsubscribe=One-Click")
  expect(textOf(received)).toContain(`Turn off mail: ${link}`)
  const { pathname, search } = new URL(link ?? "")
  const path = pathname + search
  const fromElsewhere = { "Sec-Fetch-Site": "cross-site", Origin: "https://mail.example" }
  const chosen = async () => JSON.parse((await send(desk.url, "/desk/notices", { headers: ada })).text).mail
  const page = await send(desk.url, path, { headers: fromElsewhere })
  expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"])
  expect(page.text).not.toContain("<script")
  expect(await chosen()).toBe("at-once")
  for (const method of ["GET", "POST"]) {
    for (const forged of [
      `${path}x`,
      path.replace("token=", "token=a"),
      "/desk/notices/unsubscribe",
      `${path}&token=a`,
    ]) {
      expect((await send(desk.url, forged, { method })).status, `${method} ${forged}`).toBe(400)
    }
  }
  expect(await chosen()).toBe("at-once")
  const headers = { ...fromElsewhere, "Content-Type": "application/x-www-form-urlencoded" }
  const posted = await send(desk.url, path, { method: "POST", headers, body: "List-Unsubscribe=One-Click" })
  expect(posted.status).toBe(200)
  expect(await chosen()).toBe("off")
  expect(
    (await send(desk.url, "/desk/notices", { headers: { Cookie: `workdesk-4400=${search.slice(7)}` } })).status,
  ).toBe(401)
  expect(desk.logged.join("\n")).not.toContain(search.slice(7))
})

test("a person who has just signed in gets a test mail, although the desk has read its people a moment before", async () => {
  const mail = await MailServerForTest.start()
  const desk = await deskWithNotices([], [mailTo(mail.port)])
  for (const name of ["ada", "eve"]) {
    const headers = { ...(await desk.signIn(name, ["finance"], `${name}@example.com`)) }
    expect((await send(desk.url, "/desk/notices/test", { method: "POST", headers })).status, name).toBe(200)
  }
  expect(mail.received.map(({ to }) => to)).toEqual([["ada@example.com"], ["eve@example.com"]])
})

test("a test mail goes to the person alone, and a desk without mail says so", async () => {
  const mail = await MailServerForTest.start({ auth: { user: "desk", pass: "s:e/c ret" } })
  const url = `smtp://desk:s%3Ae%2Fc%20ret@127.0.0.1:${mail.port}`
  const desk = await deskWithNotices([], [mailTo(mail.port, { url })])
  const post = (headers: object) => send(desk.url, "/desk/notices/test", { method: "POST", headers: { ...headers } })
  const ada = await desk.signIn("ada", ["finance"], "ada@example.com")
  const sent = await post(ada)
  expect([sent.status, JSON.parse(sent.text)]).toEqual([200, { at: expect.any(String), state: "delivered" }])
  expect(mail.received.map(({ to }) => to)).toEqual([["ada@example.com"]])
  expect((await post(ada)).status).toBe(429)
  expect(JSON.parse((await post(await desk.signIn("ben", ["finance"]))).text).code).toBe("PROXY_NOTICES_NO_MAIL")
  for (const address of [
    "a,b@example.com",
    "a(comment)@example.com",
    "a\r\nBcc: eve@example.com",
    "\u202Ea@example.com",
    `${"a".repeat(10_000)}@example.com`,
  ]) {
    expect((await post(await desk.signIn(address.slice(0, 20), ["finance"], address))).status, address).toBe(409)
  }
  expect(mail.received).toHaveLength(1)
  expect(desk.logged.join("\n")).not.toMatch(/example\.com/)
  const silent = await deskWithNotices([], NO_CHANNEL)
  expect(
    (await send(silent.url, "/desk/notices/test", { method: "POST", headers: await silent.signIn("ada", ["finance"]) }))
      .status,
  ).toBe(409)
})
