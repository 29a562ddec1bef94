import { expect, test } from "vitest"
import { insert } from "../store/tables.ts"
import type { BrowserBeforeSignIn } from "./testing/signed-in.ts"
import { sessionOf, signedIn } from "./testing/signed-in.ts"

/** Stores a device as the desk does when the page of this browser registers it. */
async function addDevice({ browser, database, people, signIn }: BrowserBeforeSignIn): Promise<void> {
  const { id: sessionId, person } = await sessionOf(people, browser)
  const { id: browserId, setCookies } = signIn.nameBrowser(browser.cookies)
  browser.take(setCookies)
  const row = { id: "device", personId: person.id, sessionId, browserId, label: "Firefox", since: 0 }
  await insert(database, "push_device", { ...row, endpoint: "https://push.example/1", p256dh: "", auth: "" })
}

const owners = ({ database }: BrowserBeforeSignIn) => database.read("SELECT person_id, session_id FROM push_device")

test("a device stays when the same person signs in again in its browser, and goes at the sign-out of the new session", async () => {
  const desk = await signedIn()
  await addDevice(desk)
  await desk.browser.signIn(desk.signIn)
  const session = await sessionOf(desk.people, desk.browser)
  expect(await owners(desk)).toEqual([{ person_id: session.person.id, session_id: session.id }])
  await desk.signIn.signOut(session)
  expect(await owners(desk)).toEqual([])
})

test.each([
  ["has kept its session", []],
  ["was closed meanwhile, so that it lost its session", ["__Host-workdesk=; Max-Age=0"]],
])("a device goes when another person signs in in its browser, which %s", async (_, cookies) => {
  const desk = await signedIn()
  await addDevice(desk)
  desk.browser.take(cookies)
  desk.provider.claims = { ...desk.provider.claims, sub: "another" }
  expect(await desk.browser.signIn(desk.signIn)).toMatchObject({ kind: "finished" })
  expect(await owners(desk)).toEqual([])
})

test("a device goes when the provider ends its session, or all sessions of its person", async () => {
  const desk = await signedIn()
  await addDevice(desk)
  await desk.database.write("DELETE FROM session")
  await desk.signIn.backChannelLogout(await desk.provider.logoutToken({ sub: "nobody" }))
  expect(await owners(desk)).toHaveLength(1)
  const { subject } = (await desk.database.read("SELECT subject FROM person"))[0] ?? {}
  await desk.signIn.backChannelLogout(await desk.provider.logoutToken({ sub: String(subject) }))
  expect(await owners(desk)).toEqual([])
})
