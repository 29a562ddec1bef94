/** People follow two desks with `since`, while what waits and what they see of it changes at random. Finds answers that a change does not lead to. */
import { expect, onTestFinished } from "vitest"
import { applyChange, type WaitingChange } from "../../../contract/waiting-change.ts"
import type { Waiting } from "../../../contract/desk-work.ts"
import type { Answer } from "../../../platform/http/send.ts"
import { type Access, parseAccess } from "../../people/access-file.ts"
import type { Session } from "../../people/people-interface.ts"
import { viewerOfSession } from "../../people/visibility.ts"
import { sessionOf } from "../../record/testing/deciding.ts"
import type { Database } from "../../store/database.ts"
import { sqliteForTest } from "../../store/testing/stores.ts"
import { writeAssignment } from "../claim-store.ts"
import { readApprovalList, readClarifications, readOneWork } from "../../watcher/read-resources.ts"
import { itemsOf } from "../../watcher/watched-work.ts"
import { openInbox } from "./inbox.ts"
import { randomFrom } from "../../watcher/testing/random-week.ts"
import { fakeApproval, fakeClarification, fakeWork, range, workJson } from "../../watcher/testing/simulation.ts"

const WORKS = 12
const ITEMS = 3
const SCOPES = ["private", "team", "organization"]
const COLLEAGUES = ["analyst", "metronome"]
/** A person remembers so many answers, more than a desk does. */
const REMEMBERED = 12

/** Access files by turns. Who sees the same Work differs by file, team, role and what a person created. */
const FILES = ["group:0", "group:1"].map((overseers) => ({
  roles: { reader: ["group:0", "group:1", "group:2"], approver: ["group:2", "group:3"], answerer: ["group:1"] },
  visibility: {
    overseers: [overseers],
    teams: [
      { name: "One", members: ["group:1", "group:4"], colleagues: ["analyst"] },
      { name: "Two", members: ["group:3"], colleagues: ["metronome"] },
    ],
  },
  rules: [{ destination: "b@example.com", approvers: ["group:3"] }],
}))

/** What one person knows: the answers so far with their ETags, newest last. */
type Reader = { readonly session: Session; readonly known: { readonly etag: string; readonly content: Waiting }[] }

/** An answer, and everything at the same moment. */
type Told = { readonly answer: Answer; readonly whole: Answer }

export type Checked = {
  readonly changes: number
  readonly wholes: number
  readonly unchanged: number
  readonly broken: readonly string[]
}

/** Runs so many steps with 20 people. */
export async function followAtRandom(seed: number, steps: number): Promise<Checked> {
  const { below, pick, random } = randomFrom(seed)
  const database = await sqliteForTest()
  await addCreators(database)
  let access = parseAccess(JSON.stringify(FILES[0]))
  const newDesk = () => openDesk(database, () => access)
  const desks = await Promise.all([newDesk(), newDesk()])
  const people = range(20).map((index): Reader => {
    const groups = range(5)
      .filter((bit) => ((index + 3) >> bit) & 1)
      .map(String)
    return { session: sessionOf(`p${index}`, { groups: ["0", ...groups] }), known: [] }
  })
  const figures = { changes: 0, wholes: 0, unchanged: 0 }
  const broken: string[] = []

  for (const step of range(steps)) {
    const place = below(desks.length)
    const desk = desks[place]
    const reader = pick(people)
    if (desk === undefined || reader === undefined) throw new Error("there are desks and people")
    // Some people stay at one desk. The others ask any desk.
    const asked = reader.session.person.id.length % 2 === 0 && desks[0] ? desks[0] : desk
    const known = random() < 0.8 ? reader.known.at(-1) : pick(reader.known)
    const held = known && random() < 0.3 ? asked.hold(reader.session, known.etag) : undefined
    if (random() < 0.005) {
      desk.stop()
      desks[place] = await newDesk()
    } else if (random() < 0.01) {
      access = parseAccess(JSON.stringify(pick(FILES)))
    } else {
      await change(desk, pick(people)?.session, { below, pick, random }, database, desks)
    }
    await Promise.all(desks.map(({ workPeople, state }) => workPeople.refresh(state.works.keys())))
    for (const each of desks) each.pass(below(3_000))
    asked.polls.checkAudiences()
    const told = held?.()
    const answer = told?.answer ?? asked.ask(reader.session, known?.etag)
    const whole = told?.whole ?? asked.ask(reader.session)
    const fault = check(reader, known, answer, whole)
    if (fault !== undefined) broken.push(`seed ${seed}, step ${step}: ${fault}`)
    if (broken.length > 3) break
    if (answer.status === 304) figures.unchanged++
    else if ("since" in contentOf(answer)) figures.changes++
    else figures.wholes++
  }
  return { ...figures, broken }
}

/** Takes an answer in as the app does, and compares the outcome with the whole answer. Returns a sentence when they differ. */
function check(
  { known: answers, session }: Reader,
  known: Reader["known"][number] | undefined,
  answer: Answer,
  whole: Answer,
): string | undefined {
  const etag = answer.headers["ETag"] ?? ""
  const now = answer.status === 304 ? known?.content : applied(known, answer)
  if (now === undefined) return "a change came without its beginning"
  const wanted = contentOf(whole)
  const lists = ({ attention, approvals, checked, total, complete, problem }: Waiting) =>
    JSON.stringify({ attention, approvals, checked, total, complete, problem })
  answers.push({ etag, content: now })
  if (answers.length > REMEMBERED) answers.shift()
  if (etag !== whole.headers["ETag"]) return "the ETag is not that of the whole answer"
  const looking = [...now.attention, ...now.approvals].flatMap(({ people = [] }) => people)
  if (looking.some(({ id }) => id === session.person.id)) return "a person is told that they look at an item themselves"
  if (lists(now) !== lists(wanted)) return `the outcome of ${answer.body.toString()} is not ${whole.body.toString()}`
  return known === undefined ? undefined : excess(known.content, answer)
}

function applied(known: Reader["known"][number] | undefined, answer: Answer): Waiting | undefined {
  const content = contentOf(answer)
  if (!("since" in content)) return content
  return known === undefined || content.since !== known.etag ? undefined : applyChange(known.content, content)
}

/** Whether an answer names what the person did not have as gone, or sends again what is the same. */
function excess(before: Waiting, answer: Answer): string | undefined {
  if (answer.status === 304) return undefined
  const content = contentOf(answer)
  if (!("since" in content)) return undefined
  const entries = [...before.attention, ...before.approvals]
  const had = new Set(entries.map(({ work, item }) => `${work.id} ${item.id}`))
  const stranger = content.gone.find(({ work, item }) => !had.has(`${work} ${item}`))
  if (stranger !== undefined) return `${stranger.item} is gone, and the person never had it`
  // An entry of the other list with the ids of one that is gone is sent again.
  const gone = new Set(content.gone.map(({ work, item }) => `${work} ${item}`))
  const texts = new Set(entries.map((entry) => JSON.stringify(entry)))
  const again = [...content.changed.attention, ...content.changed.approvals].find(
    (entry) => texts.has(JSON.stringify(entry)) && !gone.has(`${entry.work.id} ${entry.item.id}`),
  )
  return again && `${again.item.id} is sent again`
}

const contentOf = ({ body }: Answer): Waiting | (WaitingChange & Waiting) => JSON.parse(body.toString() || "{}")

async function addCreators({ write }: Database): Promise<void> {
  for (const index of range(WORKS)) {
    if (index % 3 > 0) continue
    await write(
      "INSERT INTO work_person (work_id, person_id, deed, teams) VALUES (?, ?, 'creator', NULL)",
      `w${index}`,
      `p${index}`,
    )
  }
}

async function openDesk(database: Database, access: () => Access) {
  let now = 1
  const inbox = await openInbox(database, access, () => now)
  const { polls } = inbox
  onTestFinished(inbox.stop)
  let request = 0
  const audienceOf = (session: Session) => () => viewerOfSession(session, access())
  const queryOf = (since?: string) => (since === undefined ? "" : `since=${encodeURIComponent(since)}`)
  function ask(session: Session, since?: string): Answer {
    let answer: Answer | undefined
    polls.add({ query: queryOf(since), audience: audienceOf(session) }, (given) => (answer = given))
    return answer ?? expect.unreachable()
  }
  return {
    ...inbox,
    nextRequest: () => ++request,
    now: () => now,
    pass(ms: number) {
      now += ms
    },
    /** Asks at once. */
    ask,
    /** Asks, and waits. Returns a function that returns the answer, if one came, and drops the request. */
    hold(session: Session, since: string): () => Told | undefined {
      let told: Told | undefined
      const query = `${queryOf(since)}&wait=25`
      const leave = polls.add({ query, audience: audienceOf(session) }, (answer) => {
        told = { answer, whole: ask(session) }
      })
      return () => {
        leave()
        return told
      }
    },
  }
}

type Desk = Awaited<ReturnType<typeof openDesk>>

/** Changes something that a desk tells. Each desk learns it by itself, as from an upstream that it reads at other times. */
async function change(
  desk: Desk,
  session: Session | undefined,
  { below, pick, random }: ReturnType<typeof randomFrom>,
  database: Database,
  desks: readonly Desk[],
): Promise<void> {
  const { state, claims } = desk
  const id = `w${below(WORKS)}`
  const watched = state.works.get(id)
  const person = session?.person ?? { id: "p0", name: "P0" }
  const itemId = pick(watched ? itemsOf(watched) : [])?.id ?? `i${below(ITEMS)}`
  const kind = below(10)
  if (kind <= 2 || watched === undefined) {
    const json = { visibility_scope: pick(SCOPES), colleague_id: pick(COLLEAGUES), title: `Title ${below(3)}` }
    const work = fakeWork(id, 0, { version: 1 + Number(watched?.work.version ?? 0n), clarificationId: "c", json })
    state.applyWork(readOneWork(JSON.stringify(workJson(work))), desk.nextRequest(), desk.now())
  } else if (kind <= 5) {
    const items = range(ITEMS).filter(() => random() < 0.6)
    const more = () => ({
      version: 1 + below(2),
      // One of three is no date. Some differ only by a microsecond, and the same id may wait in both lists.
      created_at: pick(["2026-11-21T10:00:00Z", "2026-11-21T10:00:00.000001Z", "soon"]),
      destination: pick(["a@example.com", "b@example.com"]),
    })
    if (random() < 0.6) {
      const data = items.map((index) => fakeApproval(`i${index}`, { work_id: id, ...more() }))
      state.applyApprovals(watched, readApprovalList(JSON.stringify({ data })), desk.nextRequest())
    } else {
      const data = items.map((index) => fakeClarification(`i${index}`, { work_id: id, ...more() }))
      state.applyClarifications(watched, readClarifications(JSON.stringify({ data })).items, desk.nextRequest())
    }
    state.endCheck(watched, watched.work.version, desk.now())
  } else if (kind === 6) {
    const doing = pick(["reading", "writing", "left"] as const) ?? "left"
    claims.presence.report({ personId: person.id, name: person.name, workId: id, itemId, tab: "tab", doing })
  } else if (kind === 7) {
    const hour = 3_600_000
    const row = { personId: person.id, workId: id, itemId, version: "1", until: Date.now() + hour, setAt: Date.now() }
    if (random() < 0.7) await claims.store.setAside(row)
    else await claims.store.removeAside(person.id, id, itemId)
  } else if (kind === 8) {
    const to = pick([{ team: "One" }, { team: "Two" }, null]) ?? null
    await writeAssignment(database, id, itemId, { to, by: person.id, note: undefined }, String(below(1e9)))
    for (const each of desks) if (random() < 0.8) await each.claims.store.changeItem(id, itemId, async () => undefined)
  } else if (random() < 0.2) {
    state.reset()
  } else if (random() < 0.5) {
    state.remove(id)
  } else {
    state.decide(pick(["approval", "clarification"] as const) ?? "approval", id, itemId, 0)
    state.applyListEnd({ isWhole: random() < 0.7, unwatched: 0, lastRequestBefore: 0 }, desk.now())
  }
}
