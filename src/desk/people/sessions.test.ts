import { answerOf } from "../../platform/http/testing/answer-of.ts"
import { type Database, StoreUnavailableError } from "../store/database.ts"
import { writeFile } from "node:fs/promises"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { Directory } from "./directory.ts"
import { Browser, peopleForTest } from "./testing/browser.ts"
import { CLIENT_ID, HostileProvider } from "./testing/hostile-provider.ts"
import { PostgresServer } from "../store/testing/postgres.ts"
import { sessionOf, signedIn, whenTold } from "./testing/signed-in.ts"
import { databaseForTest, describeStores, readsCounted, sqliteForTest } from "../store/testing/stores.ts"
import { noRole } from "./people-refusals.ts"
import { signedOut } from "../../platform/http/refusals.ts"
import { endedSessions, type ListenedSession } from "./sessions.ts"

describeStores("a session", ({ newStore }) => {
  it("survives a restart, and so do a pending sign-in and a used logout token", async () => {
    const store = await newStore()
    const first = await databaseForTest(store)
    const { provider, browser, signIn } = await signedIn({ database: first })
    const token = await provider.logoutToken({ sub: "nobody" })
    await signIn.backChannelLogout(token)
    const query = await browser.visitProvider(signIn)

    const { people, signIn: next } = await peopleForTest(provider, { database: await databaseForTest(store) })
    expect(await people.identify(browser.cookies)).toMatchObject({ person: { name: "Ada Lovelace" } })
    expect(await browser.comeBack(next, query)).toMatchObject({ kind: "finished" })
    expect(await answerOf(next.backChannelLogout(token))).toMatchObject({ status: 400 })
  })

  it("that begins at one desk is valid at the other, and ends at both", async () => {
    const store = await newStore()
    const { provider, browser, people, signIn } = await signedIn({ database: await databaseForTest(store) })
    const other = await peopleForTest(provider, { database: await databaseForTest(store) })
    const query = await browser.visitProvider(signIn)
    expect(await browser.comeBack(other.signIn, query)).toMatchObject({ kind: "finished" })

    const [here, there] = [await sessionOf(people, browser), await sessionOf(other.people, browser)]
    expect(there).toEqual(here)
    const told = Promise.all([whenTold(people, here), whenTold(other.people, there)])
    await other.signIn.signOut(there)
    await told
    expect(await people.identify(browser.cookies)).toBe(signedOut)
  })

  it("is over, and its person is not offered any more, when the desk has another provider", async () => {
    const store = await newStore()
    const { provider, browser, people, session } = await signedIn({ database: await databaseForTest(store) })
    const database = await databaseForTest(store)
    const later = await peopleForTest(await HostileProvider.start(), { database })
    expect(await later.people.identify(browser.cookies)).toBe(signedOut)
    expect(await later.people.countSessions()).toBe(0)
    const offered = async (issuer: string | undefined) => [...(await new Directory(database, issuer).recent()).keys()]
    expect(await offered(later.people.issuer)).toEqual([])
    // The same provider, written in another way.
    expect(await offered(`${provider.issuer}/`)).toEqual([session.person.id])
    expect(await people.identify(browser.cookies)).toMatchObject({ id: session.id })
  })

  it("ends at the other desk although somebody has set the machine's clock back", async () => {
    const { provider, browser, people, session, database } = await signedIn({
      database: await databaseForTest(await newStore()),
    })
    const other = await peopleForTest(provider, { database })
    const told = whenTold(people, session)
    vi.useFakeTimers({ now: Date.now() - 3_600_000, toFake: ["Date"] })
    onTestFinished(() => void vi.useRealTimers())
    await other.signIn.signOut(session)
    await told
    expect(await people.identify(browser.cookies)).toBe(signedOut)
  })

  it("stores neither the cookie's value nor a token of the provider in readable form", async () => {
    const { provider, browser, database } = await signedIn({ database: await databaseForTest(await newStore()) })
    const tables = ["session", "person", "sign_in", "used_logout_token"]
    const stored = JSON.stringify(await Promise.all(tables.map((table) => database.read(`SELECT * FROM ${table}`))))
    expect(stored).toContain("Ada Lovelace")
    for (const secret of [...provider.secrets, browser.session ?? ""]) expect(stored).not.toContain(secret)
  })
})

it("a look-up that was under way when a session ended does not bring the session back", async () => {
  const database = await sqliteForTest()
  const held = Promise.withResolvers<void>()
  let isSlow = false
  /** A store whose answers are delayed. */
  const slow: Database = {
    read: async (...statement) => {
      const rows = await database.read(...statement)
      if (isSlow) await held.promise
      return rows
    },
    write: database.write,
    isShared: database.isShared,
    transaction: (lock, work) => database.transaction(lock, work),
    publish: database.publish,
    subscribe: database.subscribe,
    close: () => database.close(),
  }
  const { people, browser, signIn, session } = await signedIn({ database: slow })
  // A touch has the next request ask the store.
  await signIn.touch(session)
  isSlow = true
  const lookUp = people.identify(browser.cookies)
  await signIn.signOut(session)
  held.resolve()
  expect(await lookUp).toBe(signedOut)
  expect(await people.identify(browser.cookies)).toBe(signedOut)
})

describe("a cookie", () => {
  it("that is missing, forged, repeated or malformed identifies nobody", async () => {
    const { people, browser, session } = await signedIn()
    const own = browser.session ?? ""
    const other = "A".repeat(43)
    const headers = {
      nothing: undefined,
      "an empty text": "",
      "a forged value": `__Host-workdesk=${other}`,
      "the id that the store has": `__Host-workdesk=${session.id}`,
      "another form": "__Host-workdesk=x",
      "another name": `workdesk=${own}`,
      "another case": `__host-workdesk=${own}`,
      "two values": `__Host-workdesk=${own}; __Host-workdesk=${other}`,
      "two values, the other way round": `__Host-workdesk=x; __Host-workdesk=${own}`,
      "the same value twice": `__Host-workdesk=${own}; __Host-workdesk=${own}`,
      "a value with more": `__Host-workdesk=${own}x`,
    }
    for (const [name, header] of Object.entries(headers)) expect(await people.identify(header), name).toBe(signedOut)
    expect(await people.identify(`__Host-workdesk=${own}`)).toEqual(session)
  })

  it("is found among other cookies", async () => {
    const { people, browser, session } = await signedIn()
    const header = `theme=dark; ;x; __Host-workdesk-old=${"A".repeat(43)};  __Host-workdesk = ${browser.session} ; y=z=1`
    expect(await people.identify(header)).toEqual(session)
  })
})

describe("the end of a session", () => {
  it("comes when the person does nothing, and the person's input moves it", async () => {
    const { people, browser, signIn, session } = await signedIn({ idleMs: 2_500 })
    const told = whenTold(people, session)
    await expect.poll(() => (session.endsAt ?? 0) - Date.now(), { interval: 20 }).toBeLessThan(2_000)
    await signIn.touch(session)
    const touched = await sessionOf(people, browser)
    expect((touched.endsAt ?? 0) - (session.endsAt ?? 0)).toBeGreaterThanOrEqual(500)
    await told
    expect(Date.now()).toBeGreaterThanOrEqual(touched.endsAt ?? Infinity)
    expect(await people.identify(browser.cookies)).toBe(signedOut)
    expect(await answerOf(signIn.touch(session))).toBe(signedOut)
  })

  it("comes after SESSION_MAX, whatever the person does", async () => {
    const { people, browser, signIn, session } = await signedIn({ maxMs: 1_000 })
    const told = whenTold(people, session)
    const touching = setInterval(() => void signIn.touch(session).catch(() => undefined), 100)
    await told
    clearInterval(touching)
    expect(await people.identify(browser.cookies)).toBe(signedOut)
  })

  it("is not moved by requests", async () => {
    const { people, browser, session } = await signedIn({ idleMs: 400 })
    await expect.poll(() => people.identify(browser.cookies), { interval: 20 }).toBe(signedOut)
    expect(Date.now()).toBeGreaterThanOrEqual(session.endsAt ?? Infinity)
  })

  it("at sign-out leads to the provider's end-session address, with the client's id and the desk's address", async () => {
    const { people, provider, browser, signIn, session } = await signedIn()
    const told = whenTold(people, session)
    const signedOutNow = await signIn.signOut(session)
    const location = new URL(signedOutNow.location ?? "")
    expect(location.origin + location.pathname).toBe(`${provider.issuer}/end`)
    expect(Object.fromEntries(location.searchParams)).toEqual({
      client_id: CLIENT_ID,
      post_logout_redirect_uri: "https://desk.example/",
    })
    expect(signedOutNow.setCookies).toEqual([expect.stringMatching(/^__Host-workdesk=; Max-Age=0; /)])
    await told
    expect(await people.identify(browser.cookies)).toBe(signedOut)
  })

  it("at sign-out leads nowhere when the provider has no end-session address", async () => {
    const provider = await HostileProvider.start()
    provider.answer = (door, answer) =>
      door === "metadata" && typeof answer.body === "object"
        ? { body: { ...answer.body, end_session_endpoint: undefined } }
        : answer
    const { people, signIn } = await peopleForTest(provider)
    const browser = new Browser()
    await browser.signIn(signIn)
    expect(await signIn.signOut(await sessionOf(people, browser))).toMatchObject({ location: null })
  })

  it("does not call a removed listener", async () => {
    const { people, signIn, session } = await signedIn()
    let told = 0
    people.onSessionEnd(session, () => told++)()
    const other = whenTold(people, session)
    await signIn.signOut(session)
    await other
    expect(told).toBe(0)
  })

  it("calls a listener that is added after the end", async () => {
    const { people, signIn, session } = await signedIn()
    await signIn.signOut(session)
    await whenTold(people, session)
  })
})

it("while PostgreSQL is away the answer is 503, no session ends, and the desk heals by itself", async () => {
  const server = await PostgresServer.start()
  onTestFinished(() => server.stop())
  const database = await databaseForTest({ dataFolder: "/unused", databaseUrl: await server.newDatabase() })
  const { people, browser, signIn, session } = await signedIn({ database })
  let told = false
  people.onSessionEnd(session, () => (told = true))
  await signIn.touch(session)
  await server.kill()
  const soon = { interval: 100 }
  const away = { code: "PROXY_STORE_UNAVAILABLE", status: 503, retryAfterSeconds: 2, cause: "refused" }
  await expect.poll(() => people.identify(browser.cookies), soon).toMatchObject(away)
  await expect(signIn.touch(session)).rejects.toThrow(StoreUnavailableError)
  expect(await signIn.begin({ returnTo: "/work", again: false, cookies: undefined })).toMatchObject({
    status: 503,
    cause: "refused",
    returnTo: "/work",
  })
  await server.restart()
  await expect.poll(() => sessionOf(people, browser), soon).toMatchObject({ id: session.id })
  expect(told).toBe(false)
})

describe("what a person may do", () => {
  it("follows the groups of the last sign-in, in all sessions of the person", async () => {
    const { people, provider, browser, signIn } = await signedIn()
    provider.claims = { sub: "ada", name: "Ada King", groups: ["ops"] }
    await new Browser().signIn(signIn)
    expect((await sessionOf(people, browser)).person).toMatchObject({
      name: "Ada King",
      roles: ["answerer", "delegator"],
    })
  })

  it("follows a change of the access file, and the streams of a person without a role end", async () => {
    const { people, browser, accessFile, session, warned } = await signedIn()
    people.checkRole(session)
    people.checkRole(session, "resolveWorkApproval")
    const missing = { code: "PROXY_ROLE_MISSING", detail: expect.stringMatching(/delegator.*the finance desk/) }
    const refused = (refusal: unknown) => expect.objectContaining({ answer: refusal })
    expect(() => people.checkRole(session, "createWork")).toThrow(refused(expect.objectContaining(missing)))
    const told = whenTold(people, session)
    await writeFile(accessFile, "{")
    await expect.poll(() => warned).toEqual([expect.stringMatching(/^ACCESS_FILE is not valid JSON/)])
    people.checkRole(await sessionOf(people, browser))
    await writeFile(accessFile, '{"contact":"Cleo","roles":{}}')
    await told
    const without = await sessionOf(people, browser)
    expect(without.person).toMatchObject({ roles: [], operations: [] })
    expect(() => people.checkRole(without, "listWork")).toThrow(refused(noRole("Cleo")))
    expect(people.access().contact).toBe("Cleo")
  })
})

it("a session that was looked up a moment ago is not looked up again", async () => {
  const { database, reads } = readsCounted(await sqliteForTest())
  const { people, browser } = await signedIn({ database })
  await people.identify(browser.cookies)
  const before = reads.length
  for (let round = 0; round < 1_000; round++) await people.identify(browser.cookies)
  // The desk looks for ended sessions every 500 ms.
  expect(reads.length - before).toBeLessThan(100)
})

const NOW = 1_000
const OVER: ListenedSession = { id: "over", endsAt: NOW }
const GOES_ON: ListenedSession = { id: "goes on", endsAt: NOW + 1 }
const NEVER_READ: ListenedSession = { id: "never read", endsAt: undefined }
const ALL = [OVER, GOES_ON, NEVER_READ]

it.each<[what: string, open: readonly ListenedSession[] | undefined, ended: readonly string[]]>([
  ["the store has all: none has ended, and one that is over was prolonged", ALL, []],
  ["the store does not have some: they have ended, whatever was known of their end", [GOES_ON], ["over", "never read"]],
  ["the store has none", [], ["over", "goes on", "never read"]],
  ["the store is away: only one whose known end is over has ended", undefined, ["over"]],
])("%s", (_, open, ended) => {
  expect(endedSessions(ALL, open, NOW)).toEqual(ended)
})
