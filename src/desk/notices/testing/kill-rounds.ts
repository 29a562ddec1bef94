/** Desks that tell while they are killed: real processes, a real store, a mail server and a receiver that misbehave. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { expect, onTestFinished } from "vitest"
import { openDatabase } from "../../store/open-store.ts"
import { folderForTest } from "../../store/testing/stores.ts"
import { answerFrom, fakeApproval, fakeWork, type FakeWork } from "../../watcher/testing/simulation.ts"
import { listening, startChat, startDevices } from "./kill-receivers.ts"
import {
  CHOICES,
  CREATOR,
  HANDED,
  HANDED_TO,
  letTimePass,
  MAILBOX,
  OWN_WORKS,
  prepare,
  QUIET,
  WITH_DEVICES,
} from "./kill-surroundings.ts"
import { headerOf, MailServerForTest, textOf } from "./mail-server.ts"
import { faultsOfNotices } from "./notice-faults.ts"

const SERVER = join(import.meta.dirname, "../../../server.ts")
const PUSH_DISPATCHER = join(import.meta.dirname, "push-dispatcher.ts")

export type KillRounds = {
  readonly desks: number
  readonly kills: number
  readonly items: number
  /** People who are told, by every choice in turn (`CHOICES`). Two more are not: one switched mail off, one may not decide. */
  readonly people: number
  /** The longest life of a process, in milliseconds. */
  readonly longestMs: number
  /** Left out: SQLite. */
  readonly databaseUrl?: string
}

const REMINDED = 2
const isReminded = (index: number) => index >= HANDED && index < HANDED + REMINDED

const ownWork = (index: number, status: string): FakeWork =>
  fakeWork(`own${index}`, Date.now() - 7_200_000 + index, { status, version: status === "working" ? 1 : 2 })
const endOf = (index: number) => (index % 2 === 0 ? "done" : "paused")

const workOf = (index: number, version: number): FakeWork =>
  fakeWork(`w${index}`, Date.now() - 3_600_000 + index, {
    version,
    json: { priority: index % 5 === 0 ? "urgent" : "normal" },
    approvals: [
      fakeApproval(`a${index}`, {
        work_id: `w${index}`,
        version,
        destination: isReminded(index) ? "pay@bank.example" : "a@example.com",
        created_at: new Date(Date.now() - 3_600_000 + index).toISOString(),
      }),
    ],
  })

/** Kills desks at random moments, then checks that everything was told once. */
export async function killRounds({ desks, kills, items, people, longestMs, databaseUrl }: KillRounds): Promise<void> {
  const works = Array.from({ length: items }, (_, index) => workOf(index, 1))
  works.push(...Array.from({ length: OWN_WORKS }, (_, index) => ownWork(index, "working")))
  const upstream = await listening((request, response) => {
    const { status, body } = answerFrom(works, request.url ?? "")
    response.writeHead(status, { "Content-Type": status < 400 ? "application/json" : "application/problem+json" })
    response.end(JSON.stringify(body))
  })
  const posted: Posted[] = []
  const receiver = await listening((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { type, data }: { type: string; data: { work_id: string; item_id?: string; version: string } } = JSON.parse(
        Buffer.concat(chunks).toString(),
      )
      const event = {
        id: String(request.headers["webhook-id"]),
        event: `${type} ${data.version}`,
        item: data.item_id ?? data.work_id,
      }
      const isFirst = posted.every(({ id }) => id !== event.id)
      posted.push(event)
      // An answer that is lost, as the desk sees it.
      if (isFirst && Math.random() < 0.05) request.socket.destroy()
      else response.writeHead(204).end()
    })
  })
  const chat = await startChat()
  const push = await startDevices(WITH_DEVICES)
  const mail = await MailServerForTest.start()
  // Each address is refused for now once, or one answer is lost, or neither. After a second failure of one mail the next try is 5 minutes later.
  const failed = new Set<string>()
  const failsOnce = (to: string, share: number) => {
    const fails = !failed.has(to) && Math.random() < share
    if (fails) failed.add(to)
    return fails
  }
  let isKilling = true
  mail.onConnect = () => (isKilling && Date.now() % 10_000 < 1_500 ? { code: 421 } : undefined)
  mail.onAddress = (to) => (failsOnce(to, 0.1) ? { code: 451 } : undefined)
  mail.onMessage = (to) => {
    if (isKilling && Math.random() < 0.03) return "stall"
    return failsOnce(String(to), 0.3) ? "cut" : undefined
  }
  const folder = await folderForTest()
  const environment = await prepare(folder, { upstream, receiver, chat: chat.url, push, mail, people, databaseUrl })
  const store = { dataFolder: folder, databaseUrl }
  const running = new Set<ChildProcess>()
  const start = () => {
    const child = spawn(process.execPath, ["--import", PUSH_DISPATCHER, SERVER], { env: environment, stdio: "ignore" })
    running.add(child)
    child.once("exit", () => running.delete(child))
    return child
  }
  onTestFinished(() => {
    for (const child of running) child.kill("SIGKILL")
  })
  const killSome = async (count: number) => {
    isKilling = true
    for (let killed = 0; killed < count;) {
      while (running.size < desks) start()
      await delay(300 + Math.random() * longestMs)
      // One of the desks, or all of them at once.
      const victims = [...running].slice(0, Math.random() < 0.3 ? 1 : desks)
      const exits = victims.map((victim) => once(victim, "exit"))
      for (const victim of victims) victim.kill("SIGKILL")
      await Promise.all(exits)
      killed += victims.length
      if (running.size === 0) await letTimePass(store)
    }
    await killAll()
    isKilling = false
    await letTimePass(store)
    while (running.size < desks) start()
  }
  const killAll = async () => {
    const exits = [...running].map((child) => once(child, "exit"))
    for (const child of running) child.kill("SIGKILL")
    await Promise.all(exits)
  }
  const told = () => countTold(mail, people)
  /** What each person was told, and the mailbox. */
  const everybody = (count: number, handed: number, quiet: number) => [
    ...Array.from({ length: people }, (_, index) => {
      if (index === HANDED_TO) return count
      return index % CHOICES.length === QUIET ? quiet : count - handed
    }),
    count,
  ]

  await killSome(Math.ceil(kills / 2))
  await expect.poll(told, { timeout: 400_000 }).toEqual(everybody(items, HANDED, 0))
  // A mail whose answer was lost is on its second way. It would tell nothing of a version that is gone.
  const database = await openDatabase(store)
  const unsent = () => database.read("SELECT id FROM notice_delivery WHERE settled_at IS NULL")
  await expect.poll(unsent, { timeout: 400_000 }).toEqual([])
  const seen = () => database.read("SELECT work_id FROM noticed_work WHERE work_id LIKE 'own%'")
  await expect.poll(seen, { timeout: 400_000 }).toHaveLength(OWN_WORKS)
  for (const [index, { id }] of works.entries()) {
    if (id.startsWith("own")) works[index] = ownWork(Number(id.slice(3)), endOf(Number(id.slice(3))))
  }
  const named = (count: number) => new Set(Array.from({ length: count }, (_, index) => `a${index}`))
  // A message of many items names the first of them and says how many more there are, so the store says which items were told.
  const toldInChat = async (steps: string) => {
    const sql = "SELECT DISTINCT item_id FROM notice WHERE channel = 'chat' AND step LIKE ?"
    return new Set((await database.read(sql, steps)).map(({ item_id: id }) => id))
  }
  const checkChat = async (count: number) => {
    await expect.poll(() => toldInChat("told")).toEqual(named(count))
    await expect.poll(() => toldInChat("escalated %")).toEqual(named(count))
    for (const shown of [chat.told, chat.escalated]) {
      expect(shown.size).toBeGreaterThan(0)
      expect(shown.isSubsetOf(named(count))).toBe(true)
    }
  }
  await checkChat(items)
  // A third gets a new version, a third is resolved, and some are new.
  const third = Math.floor(items / 3)
  for (let index = 0; index < third; index++) works[index] = workOf(index, 2)
  works.splice(third, third)
  for (let index = 0; index < third; index++) works.push(workOf(items + index, 1))
  await killSome(Math.floor(kills / 2))
  await expect.poll(told, { timeout: 400_000 }).toEqual(everybody(items + 2 * third, 2 * HANDED, 0))
  const resolved = () =>
    new Set(posted.filter(({ event }) => event.startsWith("approval.resolved")).map(({ item }) => item)).size
  await expect.poll(resolved, { timeout: 400_000 }).toBe(third)
  await database.write("UPDATE notice_choice SET quiet_from = NULL, quiet_until = NULL")
  await expect.poll(told, { timeout: 400_000 }).toEqual(everybody(items + 2 * third, 2 * HANDED, items - HANDED))
  await expect.poll(unsent, { timeout: 400_000 }).toEqual([])
  const stepsOf = async (step: string, person: number) => {
    const rows = await database.read(
      "SELECT 1 FROM notice WHERE channel = 'mail' AND step = ? AND recipient = ?",
      step,
      `p${person}`,
    )
    return rows.length
  }
  // Both versions. The person with quiet hours was told of the second version only.
  expect(await stepsOf("handed", HANDED_TO)).toBe(2 * HANDED)
  for (const person of Array.from({ length: people }, (_, index) => index)) {
    const versions = person % CHOICES.length === QUIET ? 1 : 2
    expect(await stepsOf("reminded", person), `p${person}`).toBe(versions * REMINDED)
  }
  await checkChat(items + third)
  const messages = await database.read("SELECT 1 FROM notice_delivery WHERE channel = 'chat' AND outcome = 'sent'")
  // A message has no id. It is repeated when a kill comes between its arrival and its mark.
  expect(chat.control.posts - messages.length).toBeLessThanOrEqual(kills)
  for (const person of WITH_DEVICES) {
    const from = "FROM notice WHERE channel = 'push' AND recipient = ?"
    const steps = await database.read(`SELECT 1 ${from} AND step IN ('told', 'own done', 'own paused')`, person)
    expect(steps, person).toHaveLength(person === CREATOR ? OWN_WORKS : items + 2 * third - 2 * HANDED)
    const sent = await database.read(
      `SELECT outcome FROM notice_delivery WHERE sequence IN (SELECT delivery ${from})`,
      person,
    )
    expect(new Set(sent.map(({ outcome }) => outcome)), person).toEqual(new Set(["sent"]))
    for (const { id, told: numbers } of push.devices.filter(({ personId }) => personId === person)) {
      expect(
        numbers.reduce((sum, one) => sum + one, 0),
        id,
      ).toBeGreaterThanOrEqual(steps.length)
      // Like a message to a chat, a push has no id.
      expect(numbers.length - sent.length, id).toBeLessThanOrEqual(kills)
    }
  }
  expect(await faultsOfNotices(database)).toEqual([])
  await database.close()

  const ends = Array.from({ length: OWN_WORKS }, (_, index) => `own${index} ${endOf(index)}`)
  expect(ownTold(mail).sort()).toEqual(ends)
  expect(mail.received.filter(({ to }) => /^(?:off|reader)@/.test(String(to)))).toEqual([])
  checkEvents(posted, items, third)
}

/** How many items were told to each person, a repeated mail counting once. */
function countTold(mail: MailServerForTest, people: number): number[] {
  const counted = new Map<string, Map<string, number>>()
  for (const received of mail.received) {
    const mails = counted.get(received.to[0] ?? "") ?? new Map<string, number>()
    counted.set(received.to[0] ?? "", mails)
    const id = headerOf(received, "Message-ID") ?? ""
    const [, count] = /(\d+) (?:item|approval)/.exec(headerOf(received, "Subject") ?? "") ?? []
    if (!mails.has(id)) mails.set(id, Number(count))
  }
  const addresses = [...Array.from({ length: people }, (_, index) => `p${index}@example.com`), MAILBOX]
  return addresses.map((address) => [...(counted.get(address)?.values() ?? [])].reduce((sum, one) => sum + one, 0))
}

/** What the creator was told, a repeated mail counting once. */
function ownTold(mail: MailServerForTest): string[] {
  const mails = mail.received.filter(({ to }) => to.includes(`${CREATOR}@example.com`))
  const once = new Map(mails.map((received) => [headerOf(received, "Message-ID"), received]))
  return [...once.values()].flatMap((received) =>
    textOf(received)
      .matchAll(/^Your Work is (\w+)\n\S+\/work\/(\w+)$/gm)
      .map(([, step, work]) => `${work} ${step}`)
      .toArray(),
  )
}

type Posted = { readonly id: string; readonly event: string; readonly item: string }

/** Each event of an item has one id, and first arrives after the events before it. */
function checkEvents(posted: readonly Posted[], items: number, third: number): void {
  const first = new Map<string, string[]>()
  const seen = new Set<string>()
  for (const { id, event, item } of posted) {
    if (!seen.has(id)) first.set(item, [...(first.get(item) ?? []), event])
    seen.add(id)
  }
  for (let index = 0; index < OWN_WORKS; index++)
    expect(first.get(`own${index}`), `own${index}`).toEqual([`work.${endOf(index)} undefined`])
  for (let index = 0; index < items + third; index++) {
    const expected =
      index < third
        ? ["approval.waiting 1", "approval.waiting 2"]
        : index < 2 * third
          ? ["approval.waiting 1", "approval.resolved 1"]
          : ["approval.waiting 1"]
    expect(first.get(`a${index}`), `a${index}`).toEqual(expected)
  }
}
