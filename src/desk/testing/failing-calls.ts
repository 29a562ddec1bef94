/** Notices over a store that fails at one call: each run has a mail server, receivers, devices and a store of its own. */
import { expect } from "vitest"
import { chatTo, mailTo, startReceiver, webhookTo } from "./notices.ts"
import { parseAccess } from "../people/access-file.ts"
import { openLog } from "../../platform/log.ts"
import { type Database, type Statements, StoreUnavailableError } from "../store/database.ts"
import { sqliteForTest } from "../store/testing/stores.ts"
import { readApprovalList, readOneWork } from "../watcher/read-resources.ts"
import { fakeApproval, fakeWork, workJson } from "../watcher/testing/simulation.ts"
import { VisibleWorkCache } from "../watcher/visible-work.ts"
import { WatchState } from "../watcher/watch-state.ts"
import { Notices } from "../notices/notice-service.ts"
import { MailServerForTest, textOf } from "../notices/testing/mail-server.ts"
import { decryptPush, newBrowserKeys } from "../notices/channels/push-receiver.ts"
import { storeDevice } from "../notices/testing/push-service.ts"
import { pushForTest } from "./push.ts"

/** A call of the store fails before it does anything, or after it: then its answer is lost. */
export type Fault = { readonly call: number; readonly when: "before" | "after" }

const ISSUER = "https://login.example"
const PEOPLE = ["ada", "ben"]
/** Of the device of each of them. */
const BROWSER = newBrowserKeys()

/** A store that counts its calls, also those within a transaction, and fails at one of them. */
function failing(database: Database, fault: Fault | undefined) {
  const control = { calls: 0 }
  async function run<Result>(work: () => Promise<Result>): Promise<Result> {
    const isFault = ++control.calls === fault?.call
    const away = () => new StoreUnavailableError("the test fails this call", "cut")
    if (isFault && fault.when === "before") throw away()
    const result = await work()
    if (isFault) throw away()
    return result
  }
  const statements = ({ read, write }: Statements): Statements => ({
    read: (sql, ...values) => run(() => read(sql, ...values)),
    write: (sql, ...values) => run(() => write(sql, ...values)),
  })
  const store: Database = {
    ...statements(database),
    isShared: false,
    transaction: (lock, work) => run(() => database.transaction(lock, (inner) => work(statements(inner)))),
    publish: database.publish,
    subscribe: database.subscribe,
    close: () => database.close(),
  }
  return { store, control }
}

/**
 * Lets items wait, end and come, while one call of the store fails. Checks that each person and the receiver are told
 * of everything once. Returns the number of calls.
 */
export async function runEveryNotice(fault?: Fault): Promise<number> {
  const [mail, receiver, room] = [await MailServerForTest.start(), await startReceiver(), await startReceiver()]
  const push = await pushForTest()
  const database = await sqliteForTest()
  const access = parseAccess('{"roles":{"approver":["anyone"]}}')
  await addPeople(database)
  const state = new WatchState()
  const visibleWork = new VisibleWorkCache({ state, done: undefined, people: undefined })
  let request = 0
  const wait = (id: string) => {
    const work = fakeWork(`w${id}`, 0, { json: { visibility_scope: "organization" } })
    state.applyWork(readOneWork(JSON.stringify(workJson(work))), ++request, 0)
    const watched = state.works.get(`w${id}`)
    if (watched === undefined) throw new Error("the Work is not watched")
    const approvals = JSON.stringify({ data: [fakeApproval(`a${id}`, { work_id: `w${id}` })] })
    state.applyApprovals(watched, readApprovalList(approvals), ++request)
    state.endCheck(watched, watched.work.version, 0)
  }
  const { store, control } = failing(database, fault)
  const notices = new Notices({
    channels: [mailTo(mail.port), webhookTo(receiver.url), chatTo(`format=mattermost#${room.url}`), push.channel],
    database: store,
    issuer: ISSUER,
    access: () => access,
    queries: {
      watcher: { wake: () => state, visibleWork },
      claims: undefined,
      claimable: () => expect.unreachable(),
      knownApproval: () => ({ status: "declined", colleague: "analyst", createdAt: "" }),
      doneWork: () => undefined,
      areDoneWorksListed: true,
    },
    workPeople: undefined,
    labelOf: (id) => id,
    links: () => new URL("http://localhost"),
    log: openLog("error", { write: () => undefined }),
    count: () => undefined,
  })
  const { loop } = notices
  /** A push says how many items are new, so they are numbered. */
  const pushed = (name: string) => {
    const own = push.service.received.filter(({ path }) => path === `/${name}`)
    const count = own.reduce((sum, { body }) => sum + Number(JSON.parse(decryptPush(body, BROWSER)).number), 0)
    return Array.from({ length: count }, (_, index) => `push ${index + 1} to ${name}`)
  }
  const told = () => [
    ...PEOPLE.flatMap(pushed),
    ...mail.received.flatMap(({ to, raw }) => {
      const items = textOf({ raw }).matchAll(/item=(\w+)/g)
      return [...items].map(([, item]) => `${to.join(" ")} ${item}`)
    }),
    ...receiver.received.map(({ event }) => `${event.type} ${event.data["item_id"]}`),
    ...room.received.flatMap(({ body }) => [...body.matchAll(/item=(\w+)/g)].map(([, item]) => `chat ${item}`)),
  ]
  const waits = (item: string) => [
    ...PEOPLE.map((name) => `${name}@example.com ${item}`),
    `approval.waiting ${item}`,
    `chat ${item}`,
  ]
  const pushes = (...numbers: readonly number[]) =>
    PEOPLE.flatMap((name) => numbers.map((number) => `push ${number} to ${name}`))
  const after = (look: () => Promise<unknown>) => async () => {
    await look()
    return new Set(told())
  }
  const timing = { interval: 5, timeout: 20_000 }

  for (const id of ["stays", "ends"]) wait(id)
  // A Work that no whole round has counts as gone after the second.
  for (const _ of ["first", "second"]) state.applyListEnd({ isWhole: true, unwatched: 0, lastRequestBefore: 0 }, 0)
  await expect
    .poll(
      after(() => loop.look()),
      timing,
    )
    .toEqual(new Set([...waits("astays"), ...waits("aends"), ...pushes(1, 2)]))
  state.remove("wends")
  wait("comes")
  const all = [
    ...waits("astays"),
    ...waits("aends"),
    "approval.resolved aends",
    "approval.declined aends",
    ...waits("acomes"),
    ...pushes(1, 2, 3),
  ]
  await expect
    .poll(
      after(() => loop.look()),
      timing,
    )
    .toEqual(new Set(all))
  const unsent = async () => {
    await loop.look()
    return database.read("SELECT id FROM notice_delivery WHERE settled_at IS NULL")
  }
  await expect.poll(unsent, timing).toEqual([])
  await notices.stop()
  expect(told().toSorted(), "nothing is told twice").toEqual(all.toSorted())
  return control.calls
}

async function addPeople(database: Database): Promise<void> {
  const { write } = database
  for (const name of PEOPLE) {
    await write(
      "INSERT INTO person (id, issuer, subject, name, email, member_groups, signed_in_at) VALUES (?, ?, ?, ?, ?, '[]', ?)",
      name,
      ISSUER,
      name,
      name,
      `${name}@example.com`,
      Date.now() - 200_000,
    )
    await write(
      `INSERT INTO notice_choice (person_id, revision, mail, urgent_at_once, time_zone, push, push_from)
       VALUES (?, 1, 'at-once', 1, 'UTC', 1, 1)`,
      name,
    )
    await storeDevice(database, name, name, BROWSER)
  }
}
