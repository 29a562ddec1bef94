/**
 * What notices cost (`npm run bench`): the processor time of a look at 10,000 waiting items for 500 people, and the longest turn of the event
 * loop in it. The store is SQLite on this disk. Writing and reading the same items as JSON, in the same run, makes the figures comparable.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate as nextTurn } from "node:timers/promises"
import { openLog } from "../../src/platform/log.ts"
import { acquireLease } from "../../src/desk/notices/lease.ts"
import { createMail } from "../../src/desk/notices/channels/mail.ts"
import { KnownItems } from "../../src/desk/notices/known-items.ts"
import { OutboxFiller } from "../../src/desk/notices/outbox-filler.ts"
import { Outbox } from "../../src/desk/notices/outbox.ts"
import { createReadPeople } from "../../src/desk/notices/people-now.ts"
import { createWebhook } from "../../src/desk/notices/channels/webhook.ts"
import { parseAccess } from "../../src/desk/people/access-file.ts"
import { Directory } from "../../src/desk/people/directory.ts"
import { DeskRecord } from "../../src/desk/record/desk-record.ts"
import { WorkPeople } from "../../src/desk/record/work-people.ts"
import { openDatabase } from "../../src/desk/store/open-store.ts"
import { readApprovalList, readOneWork } from "../../src/desk/watcher/read-resources.ts"
import { Claims } from "../../src/desk/inbox/claims.ts"
import { fakeApproval, fakeWork, range, workJson } from "../../src/desk/watcher/testing/simulation.ts"
import { VisibleWorkCache } from "../../src/desk/watcher/visible-work.ts"
import { WatchState } from "../../src/desk/watcher/watch-state.ts"
import { median } from "./load/figures.ts"

const ITEMS = 10_000
const PEOPLE = 500
const ROUNDS = 9

/** A directory of 20 groups: each third person may approve letters to the bank, and each fifth oversees. */
const access = parseAccess(
  JSON.stringify({
    roles: { reader: ["anyone"], approver: ["group:finance"] },
    rules: [
      { destination: "*@bank.example", approvers: ["group:bank"], preventSelfApproval: true },
      { decideWithin: "24h", remindBefore: "1h", escalate: { after: "4h", to: ["group:g3"] } },
    ],
    visibility: { teams: [{ name: "Finance", members: ["group:finance"] }], overseers: ["group:g4"] },
  }),
)
const now = Date.now()
const works = range(ITEMS).map((index) => {
  const created = now - 3_600_000 - index * 1_000
  const destination = index % 3 === 0 ? `pay${index}@bank.example` : `${index}@shop.example`
  const approval = { work_id: `w${index}`, destination, created_at: new Date(created).toISOString() }
  return fakeWork(`w${index}`, created, {
    approvals: [fakeApproval(`a${index}`, approval)],
    json: { visibility_scope: "organization", priority: index % 50 === 0 ? "urgent" : "normal" },
  })
})
const [first = fakeWork("none", 0)] = works
const state = new WatchState()
let request = 0
const read = ({ id, approvals }: (typeof works)[number], work: object) => {
  state.applyWork(readOneWork(JSON.stringify(work)), ++request, performance.now())
  const watched = state.works.get(id)
  if (watched === undefined) throw new Error("the Work is not watched")
  state.applyApprovals(watched, readApprovalList(JSON.stringify({ data: approvals })), ++request)
  state.endCheck(watched, watched.work.version, performance.now())
}
for (const work of works) read(work, workJson(work))
state.applyListEnd({ isWhole: true, unwatched: 0, lastRequestBefore: 0 }, performance.now())

const folder = await mkdtemp(join(tmpdir(), "workdesk-bench-"))
const database = await openDatabase({ dataFolder: folder, databaseUrl: undefined })
const nothing = () => undefined
const record = new DeskRecord({
  database,
  mode: "sign-in",
  access: () => access,
  onStored: nothing,
  onFailed: nothing,
  onHead: nothing,
})
const workPeople = new WorkPeople(database)
const directory = new Directory(database, "https://login.example")
const claims = new Claims({
  mode: "sign-in",
  database,
  directory,
  record,
  access: () => access,
  isWatched: () => true,
  changed: nothing,
})
const visibleWork = new VisibleWorkCache({ state, done: undefined, people: workPeople })
const outbox = new Outbox(database, "bench")
const server = { host: "127.0.0.1", port: 25, isSecure: false, isLoopback: true, auth: undefined }
const publicUrl = new URL("https://desk.example")
const mail = createMail({
  server: () => server,
  from: { name: "", address: "desk@example.com" },
  batchMs: 120_000,
  publicUrl,
})
const log = openLog("error")
const unused = () => {
  throw new Error("nothing is sent")
}
const filler = new OutboxFiller({
  channels: [mail, createWebhook({ url: new URL("https://hook.example"), keys: () => [] })],
  database,
  outbox,
  known: new KnownItems(),
  desk: {
    database,
    log,
    findItem: unused,
    findOwn: unused,
    seesWork: unused,
    mayDecide: unused,
    readPerson: unused,
    tokenKey: unused,
    labelOf: unused,
    links: () => publicUrl,
  },
  readPeople: createReadPeople({ database, access: () => access, issuer: "https://login.example", log }),
  access: () => access,
  queries: {
    watcher: { wake: () => state, visibleWork },
    claims,
    claimable: (watched, item) => ({
      work: watched.work,
      item,
      facts: () => visibleWork.factsOf(watched),
      firstCreatedAt: item.createdAt,
    }),
    knownApproval: () => undefined,
    doneWork: () => undefined,
  },
  workPeople,
})

/** Runs `work` and returns the processor milliseconds of this thread: of all, and of the longest turn of the event loop. */
async function measure(work: () => Promise<unknown>): Promise<{ readonly all: number; readonly turn: number }> {
  const used = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  const run = { isOver: false }
  const began = used()
  const over = work().finally(() => (run.isOver = true))
  let turn = 0
  let before = began
  while (!run.isOver) {
    turn = Math.max(turn, used() - before)
    before = used()
    await nextTurn()
  }
  turn = Math.max(turn, used() - before)
  await over
  return { all: used() - began, turn }
}

/** Measures several looks, each after `prepare`, and prints the medians and the longest turn. */
async function bench(name: string, prepare: () => unknown, rounds = ROUNDS): Promise<void> {
  const found: { readonly all: number; readonly turn: number }[] = []
  for (let round = 0; round < rounds; round++) {
    await prepare()
    await acquireLease(database, "bench", Date.now())
    found.push(await measure(() => filler.fill()))
  }
  const all = found.map((one) => one.all)
  const turns = found.map(({ turn }) => turn)
  const figures = [median(all), Math.max(...all), median(turns), Math.max(...turns)]
  console.log(`| ${name} | ${figures.map((figure) => figure.toFixed(1)).join(" | ")} |`)
}

try {
  await fill()
  console.log(`\n| a look at ${ITEMS} items for ${PEOPLE} people | ms, median | ms, most | turn, median | turn, most |`)
  console.log("|---|---:|---:|---:|---:|")
  await bench("the first: all items and mails are stored", nothing, 1)
  await bench("nothing has changed", nothing)
  await bench("one Work has changed", () => read(first, workJson(first)))
  const json = [...state.works.values()].flatMap(({ approvals }) => approvals.map((approval) => approval.json))
  const { all } = await measure(async () => json.map((text) => JSON.stringify(JSON.parse(text))))
  console.log(`| (reading and writing these items as JSON) | ${all.toFixed(1)} | | | |`)
} finally {
  await database.close()
  await rm(folder, { recursive: true, force: true })
}

async function fill(): Promise<void> {
  await database.transaction("sessions", async ({ write }) => {
    for (const index of range(PEOPLE)) {
      const groups = [...(index % 3 === 0 ? ["bank"] : []), ...(index % 2 === 0 ? ["finance"] : []), `g${index % 20}`]
      await write(
        "INSERT INTO person (id, issuer, subject, name, email, member_groups, signed_in_at) VALUES (?, 'https://login.example', ?, ?, ?, ?, ?)",
        `p${index}`,
        `p${index}`,
        `Person ${index}`,
        `p${index}@example.com`,
        JSON.stringify(groups),
        now - 86_400_000,
      )
      await write(
        `INSERT INTO notice_choice (person_id, revision, mail, urgent_at_once, quiet_from, quiet_until, time_zone) VALUES (?, 1, ?, 1, NULL, NULL, 'UTC')`,
        `p${index}`,
        ["at-once", "hourly", "daily", "hourly", "daily"][index % 5] ?? "off",
      )
    }
  })
}
