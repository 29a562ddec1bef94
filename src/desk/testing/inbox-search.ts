/** Runs random commands of `inbox-model.ts` against a desk, and compares what the desk shows with the model after each command. */
import { randomUUID } from "node:crypto"
import * as fc from "fast-check"
import { expect } from "vitest"
import { search, type Search } from "../../platform/testing/search.ts"
import { readLimits } from "../http/desk-configuration.ts"
import type { Database } from "../store/database.ts"
import {
  answerFrom,
  fakeApproval,
  fakeClarification,
  fakeWork,
  type FakeWork,
  problem,
} from "../watcher/testing/simulation.ts"
import { type Effect, faultsOfRun } from "./audit.ts"
import { type Reply, send } from "./desk.ts"
import { type Answering, startUpstream } from "./upstreams.ts"
import {
  ACCESS,
  BEGINNING,
  COLLEAGUES,
  type Command,
  DESTINATIONS,
  groupsOf,
  type ItemCommand,
  itemOf,
  type Name,
  next,
  PEOPLE,
  SCOPES,
  sees,
  shown,
  type State,
  workOf,
} from "./inbox-model.ts"
import { type PersonHeaders, startSignInProxy } from "./sign-in.ts"

const who = fc.constantFrom(...PEOPLE)
/** Weighted towards the people who may decide most items. */
const able = fc.constantFrom("Ada", "Cleo", "Ada", "Cleo", "Ben", "Dora")
const item = fc.nat(7)
const scope = fc.constantFrom(...SCOPES)
const colleague = fc.constantFrom(...COLLEAGUES)
const of = <Kind extends Command["do"]>(...kinds: readonly Kind[]) => fc.constantFrom(...kinds)

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: of("approve"), who: able, item }) },
  { weight: 1, arbitrary: fc.record({ do: of("decline"), who: able, item }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: of("approve", "decline"), who: able, item, isStale: fc.constant<true>(true) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: of("withdraw", "aside", "bring back", "take", "give back"), who: able, item }),
  },
  { weight: 2, arbitrary: fc.record({ do: of("hand"), who: able, item, to: able }) },
  { weight: 1, arbitrary: fc.record({ do: of("answer"), who, item }) },
  { weight: 4, arbitrary: fc.record({ do: of("new version"), item }) },
  { weight: 1, arbitrary: fc.record({ do: of("resolved elsewhere"), item }) },
  { weight: 1, arbitrary: fc.record({ do: of("delegate"), who, scope, colleague }) },
  { weight: 1, arbitrary: fc.record({ do: of("created elsewhere"), scope, colleague }) },
  { weight: 1, arbitrary: fc.record({ do: of("ask"), work: fc.nat(5) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: of("ask"), work: fc.nat(5), destination: fc.constantFrom(...DESTINATIONS) }),
  },
  { weight: 1, arbitrary: fc.record({ do: of("freeze", "end the freeze"), who: fc.constantFrom("Dora", "Ada") }) },
  { weight: 1, arbitrary: fc.record({ do: of("sign in again"), who }) },
  { weight: 1, arbitrary: fc.constant({ do: "restart" } as const) },
)

/** One command after the other; two in an array are sent at the same moment. */
export type Step = Command | readonly [ItemCommand, ItemCommand]
const atOnce = fc.record({ do: of("approve", "decline", "take", "withdraw"), who: able, item })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: command },
  { weight: 1, arbitrary: fc.tuple(atOnce, atOnce) },
)

/** Looks for commands after which a desk differs from the model. `newStore` opens an empty store. */
export async function searchInbox(
  newStore: () => Promise<Database>,
  options: Search<readonly Step[]> & { readonly steps: number },
) {
  const steps = fc.array(step, { minLength: options.steps / 2, maxLength: options.steps, size: "max" })
  await search(steps, options, async (tried) => runInbox(await newStore(), tried))
}

/** Creates Work and items first, so that most commands have an effect. */
const OPENING: readonly Command[] = [
  { do: "delegate", who: "Cleo", scope: "team", colleague: "analyst" },
  { do: "delegate", who: "Ben", scope: "private", colleague: "analyst" },
  { do: "created elsewhere", scope: "team", colleague: "metronome" },
  { do: "ask", work: 0, destination: "a@own.example" },
  { do: "ask", work: 0, destination: "a@two.example" },
  { do: "ask", work: 1, destination: "a@ops.example" },
  { do: "ask", work: 2 },
]

async function runInbox(database: Database, steps: readonly Step[]): Promise<void> {
  const world = await World.open(database)
  let state = BEGINNING
  for (const opening of OPENING) state = await world.run(state, opening)
  for (const step of steps) {
    state = await ("do" in step ? world.run(state, step) : world.runBoth(state, step))
    await world.check(state, step)
  }
  expect(await faultsOfRun(database, world.service.effects)).toEqual([])
}

/** Stands in each text of a Work, and in no text of another. */
const markOf = (work: string) => `text-of-${work}.`

/** The service, whose Work the commands change. */
async function startModelService() {
  const works: FakeWork[] = []
  const effects: Effect[] = []
  const answer: Answering = ({ method, url, body, headers }, response) => {
    const { status, body: content } = method === "GET" ? answerFrom(works, url) : post(url, body, headers)
    response.writeHead(status, { "Content-Type": status < 400 ? "application/json" : "application/problem+json" })
    response.end(JSON.stringify(content))
  }
  function post(url: string, body: string, headers: Readonly<Record<string, unknown>>) {
    const [, , , , id = "", list, itemId] = url.split("/").map(decodeURIComponent)
    const sent: Record<string, string> = JSON.parse(body)
    const key = String(headers["idempotency-key"])
    if (id === "") {
      const work = addWork({ visibility_scope: sent["visibility_scope"], colleague_id: sent["colleague_id"] })
      effects.push({ key, work })
      return { status: 201, body: { id: work, title: markOf(work) } }
    }
    const work = works.find((each) => each.id === id)
    const items = list === "approvals" ? work?.approvals : work?.clarifications
    const index = items?.findIndex((each) => Reflect.get(each, "id") === itemId) ?? -1
    const found = items?.[index]
    if (work === undefined || items === undefined || found === undefined) return problem(404, "NOT_FOUND")
    if (headers["if-match"] !== `"${Reflect.get(found, "version")}"`) return problem(412, "STALE")
    effects.push({ key, work: id, item: itemId })
    return {
      status: 200,
      body: resolve(
        work,
        items,
        index,
        sent["decision"] === "approve" ? "approved" : list === "approvals" ? "declined" : "resolved",
      ),
    }
  }
  function addWork(json: object): string {
    const id = `work${works.length}`
    works.push(fakeWork(id, Date.now(), { json: { ...json, title: markOf(id) } }))
    return id
  }
  function resolve(work: FakeWork, items: object[], index: number, status: string): object {
    const found = items[index] ?? {}
    const version = Number(Reflect.get(found, "version")) + 1
    items[index] = { ...found, status, version, work_id: work.id }
    if (items === work.clarifications) delete work.clarificationId
    work.version++
    return items[index]
  }
  const upstream = await startUpstream(answer)
  return { url: upstream.url, works, effects, addWork, resolve }
}

class World {
  readonly #database: Database
  readonly service: Awaited<ReturnType<typeof startModelService>>
  #desk: Awaited<ReturnType<typeof startSignInProxy>>
  readonly #people = new Map<Name, PersonHeaders>()
  /** What was answered since the last check. */
  #answers: { readonly name: Name; readonly path: string; readonly text: string }[] = []
  /** The state at the last check. */
  #checked = BEGINNING

  static async open(database: Database): Promise<World> {
    const service = await startModelService()
    const world = new World(database, service, await startDesk(service.url, database))
    for (const name of PEOPLE) await world.#signIn(name)
    return world
  }

  private constructor(
    database: Database,
    service: World["service"],
    desk: Awaited<ReturnType<typeof startSignInProxy>>,
  ) {
    this.#database = database
    this.service = service
    this.#desk = desk
  }

  async #signIn(name: Name): Promise<void> {
    this.#people.set(name, await this.#desk.signIn(name, groupsOf(name)))
  }

  /** Runs a command, and compares its status with the model's. @returns the model's next state */
  async run(state: State, command: Command): Promise<State> {
    const expected = next(state, command)
    const status = await this.#do(state, command)
    expect(status, JSON.stringify(command)).toBe(expected.status)
    return expected.state
  }

  /** Runs two commands at once. The result must be the same as in one of the two orders. */
  async runBoth(state: State, [one, other]: readonly [ItemCommand, ItemCommand]): Promise<State> {
    const inOrder = (first: ItemCommand, second: ItemCommand) => {
      const after = next(state, first)
      // The second person means the item that they saw.
      const meant = itemOf(state, second.item)
      const index = after.state.items.filter(({ isPending }) => isPending).findIndex(({ id }) => id === meant?.id)
      if (index < 0) return undefined
      const then = next(after.state, { ...second, item: index })
      return { statuses: [after.status, then.status], state: then.state }
    }
    if ([one, other].some((each) => next(state, each).status === 0)) return state
    const [first, second] = await Promise.all([this.#do(state, one), this.#do(state, other)])
    const isOf = (order: ReturnType<typeof inOrder>, statuses: readonly number[]) =>
      order !== undefined && String(order.statuses) === String(statuses)
    const [forth, back] = [inOrder(one, other), inOrder(other, one)]
    if (forth !== undefined && isOf(forth, [first, second])) return forth.state
    if (back !== undefined && isOf(back, [second, first])) return back.state
    // The first has ended the item, so the other comes too late.
    const tooLate = [404, 409, 412]
    if (tooLate.includes(second) && next(state, one).status === first) return next(state, one).state
    if (tooLate.includes(first) && next(state, other).status === second) return next(state, other).state
    throw new Error(`${JSON.stringify([one, other])} at once: ${first} and ${second}`)
  }

  async #do(state: State, command: Command): Promise<number> {
    if ("item" in command) return this.#doToItem(state, command)
    const { works } = this.service
    switch (command.do) {
      case "delegate": {
        const { scope: visibility_scope, colleague: colleague_id } = command
        const body = { objective: "Do this", visibility_scope, colleague_id }
        return (await this.#send(command.who, "POST", "/api/v1/work", body)).status
      }
      case "created elsewhere":
        this.service.addWork({ visibility_scope: command.scope, colleague_id: command.colleague })
        return 0
      case "ask": {
        const added = next(state, command).state.items.at(state.items.length)
        const work = works.find(({ id }) => id === workOf(state, command.work)?.id)
        if (added === undefined || work === undefined) return 0
        const { id, destination } = added
        work.version++
        const json = { work_id: work.id, requested_by_colleague: Reflect.get(work.json ?? {}, "colleague_id") }
        const text = markOf(work.id)
        if (destination !== undefined)
          work.approvals.push(fakeApproval(id, { ...json, destination, subject: text, body: text, summary: text }))
        else {
          work.clarificationId = id
          work.clarifications.push(fakeClarification(id, { ...json, title: text, what_happened: text }))
        }
        return 0
      }
      case "restart":
        this.#desk = await startDesk(this.service.url, this.#database)
        return 0
      case "sign in again":
        await this.#signIn(command.who)
        return 0
      case "freeze":
        return (await this.#send(command.who, "PUT", "/desk/freeze", { colleague: null, reason: "wild" })).status
      case "end the freeze":
        return (await this.#send(command.who, "DELETE", "/desk/freeze")).status
    }
  }

  async #doToItem(state: State, command: ItemCommand): Promise<number> {
    const { works } = this.service
    const found = itemOf(state, command.item)
    const work = works.find(({ id }) => id === found?.work)
    if (found === undefined || work === undefined) return 0
    const { id, destination, version } = found
    const items = destination === undefined ? work.clarifications : work.approvals
    const index = items.findIndex((each) => Reflect.get(each, "id") === id)
    const ids = { work: work.id, item: id }
    switch (command.do) {
      case "new version":
        items[index] = { ...items[index], version: version + 1 }
        work.version++
        return 0
      case "resolved elsewhere":
        this.service.resolve(work, items, index, destination === undefined ? "resolved" : "declined")
        return 0
      case "approve":
      case "decline":
      case "answer": {
        if ((destination === undefined) !== (command.do === "answer")) return 0
        const list = destination === undefined ? "attention" : "approvals"
        const body = destination === undefined ? { response: "first" } : { decision: command.do }
        const isStale = "isStale" in command && command.isStale
        const path = `/api/v1/work/${work.id}/${list}/${id}/resolve`
        return (await this.#send(command.who, "POST", path, body, `"${isStale ? version + 1 : version}"`)).status
      }
      case "withdraw":
        return (await this.#send(command.who, "DELETE", `/desk/approvals/${work.id}/${id}/mine`)).status
      case "aside":
      case "bring back": {
        const until = command.do === "aside" ? new Date(Date.now() + 3_600_000).toISOString() : null
        return (await this.#send(command.who, "PUT", "/desk/aside", { ...ids, version: String(version), until })).status
      }
      case "take":
      case "hand":
      case "give back": {
        const name = command.do === "hand" ? command.to : command.do === "take" ? command.who : undefined
        const to = name === undefined ? null : { person: this.#idOf(name) }
        const { etag = '"none"' } = (await this.#entry(command.who, id))?.assignment ?? {}
        return (await this.#send(command.who, "PUT", "/desk/assignment", { ...ids, to }, etag)).status
      }
    }
  }

  #idOf(name: Name): string {
    return this.#people.get(name)?.["Desk-Person"] ?? ""
  }

  async #send(name: Name, method: string, path: string, body?: object, ifMatch?: string): Promise<Reply> {
    const reply = await send(this.#desk.url, path, {
      method,
      headers: {
        ...this.#people.get(name),
        "Idempotency-Key": randomUUID(),
        "Cache-Control": "no-cache",
        ...(body && { "Content-Type": "application/json" }),
        ...(ifMatch !== undefined && { "If-Match": ifMatch }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    this.#answers.push({ name, path, text: reply.text })
    return reply
  }

  /** Checks that nobody was sent a text of Work that is concealed from them, before the last command and after it. */
  #checkConcealed(state: State): void {
    for (const { name, path, text } of this.#answers) {
      // People are shown what they did themselves, as long as the record has it.
      const isRecord = path.startsWith("/desk/record")
      const shownTo = isRecord ? JSON.stringify(othersIn(text, this.#idOf(name))) : text
      const shown = state.works.filter(({ id }) => shownTo.includes(markOf(id)))
      for (const { id } of shown) {
        if (!sees(state, name, id) && !sees(this.#checked, name, id)) throw new Error(`${path} shows ${name} ${id}`)
      }
    }
    this.#answers = []
    this.#checked = state
  }

  async #read(name: Name, path: string) {
    const { status, text } = await this.#send(name, "GET", path)
    expect(status, text).toBe(200)
    return JSON.parse(text)
  }

  async #entries(name: Name): Promise<readonly WaitingEntry[]> {
    const { attention, approvals } = await this.#read(name, "/desk/waiting")
    return [...attention, ...approvals]
  }

  async #entry(name: Name, id: string): Promise<WaitingEntry | undefined> {
    return (await this.#entries(name)).find((entry) => entry.item.id === id)
  }

  /** Checks that each person is shown what the model says, as soon as the desk has read the service again. */
  async check(state: State, step: Step): Promise<void> {
    // `no-cache` makes the desk read the list again, so that it notices changes by others at once.
    if (isElsewhere(step)) await this.#read("Dora", "/desk/work")
    for (const name of PEOPLE) {
      const isShown = async () => ({ name, ...(await this.#shownTo(name)) })
      await expect
        .poll(isShown, { interval: 10, message: `after ${JSON.stringify(step)}` })
        .toEqual({ name, ...sorted(shown(state, name)) })
    }
    this.#checkConcealed(state)
  }

  async #shownTo(name: Name) {
    const nameOf = (id: string | undefined) => PEOPLE.find((each) => this.#idOf(each) === id) ?? "nobody"
    const answer = await this.#read(name, "/desk/waiting")
    const entries: readonly WaitingEntry[] = [...answer.attention, ...answer.approvals]
    const needed = (list: readonly WaitingEntry[]) => list.filter((entry) => entry.needs_you === true).length
    expect(answer.needs_you).toEqual({ attention: needed(answer.attention), approvals: needed(answer.approvals) })
    const waiting = entries.map((entry) => ({
      id: entry.item.id,
      version: entry.item.version,
      needsYou: entry.needs_you === true,
      isAside: entry.aside?.until !== undefined,
      assignee: nameOf(entry.assignment?.to.person?.id),
      given: (entry.approvals?.given ?? []).map((one) => nameOf(one.person.id)),
    }))
    const works: { data: { id: string }[] } = await this.#read(name, "/api/v1/work?status=working&limit=100")
    const record: { data: RecordLine[] } = await this.#read(name, "/desk/record?limit=100")
    // Of two decisions at once, the service may refuse the second.
    const lines = record.data
      .filter(({ outcome }) => outcome !== "refused")
      .map((line) => `${nameOf(line.person.id)} ${line.operation} ${line.item_id ?? ""} ${line.outcome}`)
    return sorted({ waiting, works: works.data.map(({ id }) => id), record: lines })
  }
}

function othersIn(record: string, personId: string): readonly RecordLine[] {
  const { data }: { data: RecordLine[] } = JSON.parse(record)
  return data.filter(({ person }) => person.id !== personId)
}

const isElsewhere = (step: Step) =>
  "do" in step && ["created elsewhere", "ask", "new version", "resolved elsewhere", "restart"].includes(step.do)

type WaitingEntry = {
  readonly item: { readonly id: string; readonly version: number }
  readonly needs_you?: true
  readonly aside?: { readonly until?: string }
  readonly assignment?: { readonly to: { readonly person?: { readonly id: string } }; readonly etag: string }
  readonly approvals?: { readonly given: readonly { readonly person: { readonly id: string } }[] }
}
type RecordLine = {
  readonly person: { readonly id: string }
  readonly operation: string
  readonly item_id?: string
  readonly outcome: string
}

function sorted({ waiting, works, record }: ReturnType<typeof shown>) {
  const byId = (one: { id: string }, other: { id: string }) => one.id.localeCompare(other.id)
  return {
    waiting: waiting.map((entry) => ({ ...entry, given: entry.given.toSorted() })).sort(byId),
    works: works.toSorted(),
    record: record.toSorted(),
  }
}

function startDesk(url: string, database: Database) {
  return startSignInProxy(url, {
    people: { access: ACCESS, database },
    limits: { ...readLimits({}), personRequestsPerMinute: 1e9, clientRequestsPerMinute: 1e9 },
  })
}
