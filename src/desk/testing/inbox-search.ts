/** Runs random commands of `inbox-model.ts` against a desk, and compares what the desk shows with the model after each command. */
import { randomUUID } from "node:crypto"
import { setImmediate } from "node:timers/promises"
import * as fc from "fast-check"
import { expect } from "vitest"
import { readTrustedProxies } from "../../platform/http/client-address.ts"
import { search, type Search } from "../../platform/testing/search.ts"
import { readLimits } from "../http/desk-configuration.ts"
import { HostileProvider } from "../people/testing/hostile-provider.ts"
import type { Database } from "../store/database.ts"
import { databaseForTest, type NewStore, type StoreUnderTest } from "../store/testing/stores.ts"
import {
  answerFrom,
  fakeApproval,
  fakeClarification,
  fakeWork,
  type FakeWork,
  problem,
} from "../watcher/testing/simulation.ts"
import { type Effect, faultsOfRun } from "./audit.ts"
import { TRACE } from "./faulty-desk.ts"
import { type Reply, send } from "./desk.ts"
import { type Answering, startUpstream } from "./upstreams.ts"
import {
  ACCESS,
  afterSoon,
  BEGINNING,
  COLLEAGUES,
  type Command,
  DESTINATIONS,
  groupsOf,
  type ItemCommand,
  itemOf,
  type Name,
  newTo,
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
type GroupsOfSignIn = readonly ("finance" | "ops" | "audit")[]
/** How many turns of the event loop a request may take to come to the service. */
const TURNS = 50
const of = <Kind extends Command["do"]>(...kinds: readonly Kind[]) => fc.constantFrom(...kinds)

/** A sign-in may bring other groups, and so other roles and teams. */
const signIn = fc.record(
  {
    do: of("sign in again"),
    who,
    groups: fc.constantFrom<GroupsOfSignIn>([], ["finance"], ["ops"], ["finance", "ops"], ["audit"]),
  },
  { requiredKeys: ["do", "who"] },
)
const freeze = fc.record(
  {
    do: of("freeze", "end the freeze"),
    who: fc.constantFrom("Dora", "Ada"),
    colleague: fc.constantFrom("analyst", "Analyst", "metronome"),
  },
  { requiredKeys: ["do", "who"] },
)
const absence = (lasts: "soon" | "long") =>
  fc.record({ do: of("away"), who, standIn: who, lasts: fc.constant(lasts) }, { requiredKeys: ["do", "who", "lasts"] })

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: of("approve"), who: able, item }) },
  { weight: 1, arbitrary: fc.record({ do: of("decline"), who: able, item }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: of("approve", "decline"), who: able, item, isStale: fc.constant<true>(true) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: of("withdraw", "bring back", "take", "give back"), who: able, item }),
  },
  { weight: 2, arbitrary: fc.record({ do: of("aside"), who: able, item, lasts: fc.constant("long" as const) }) },
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
  { weight: 2, arbitrary: freeze },
  { weight: 2, arbitrary: signIn },
  { weight: 1, arbitrary: fc.record({ do: of("sign out"), who }) },
  { weight: 2, arbitrary: absence("long") },
  { weight: 1, arbitrary: fc.record({ do: of("return"), who }) },
  { weight: 2, arbitrary: fc.record({ do: of("see"), who, work: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: of("see all"), who }) },
  { weight: 1, arbitrary: fc.constant({ do: "restart" } as const) },
)

/** What ends soon, and what happens before its end. */
const soon = fc.record({
  soon: fc.oneof(fc.record({ do: of("aside"), who: able, item, lasts: fc.constant("soon" as const) }), absence("soon")),
  meanwhile: fc.oneof(
    fc.record({ do: of("bring back", "take", "give back"), who: able, item }),
    fc.record({ do: of("aside"), who: able, item, lasts: fc.constant("long" as const) }),
    absence("long"),
    signIn,
    fc.constant({ do: "restart" } as const),
  ),
})

/** Two commands that are sent at the same moment. `order` chooses which of their requests to the service is answered next. */
type Both = { readonly both: readonly [ItemCommand, ItemCommand]; readonly order: number }
type Soon = { readonly soon: Command; readonly meanwhile: Command }
/** A command whose first read of the service is answered only after another command. So what the desk had checked before has to hold after it. */
type Held = { readonly held: ItemCommand; readonly meanwhile: Command }
/** One step after the other. After each of them, everybody is shown what the model says. */
export type Step = Command | Both | Soon | Held
const atOnce = fc.record({ do: of("approve", "decline", "take", "withdraw"), who: able, item })
const held = fc.record({
  held: fc.record({ do: of("approve", "decline", "answer", "withdraw"), who: able, item }),
  meanwhile: fc.oneof(fc.record({ do: of("sign out"), who: able }), signIn, freeze),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 16, arbitrary: command },
  { weight: 3, arbitrary: fc.record({ both: fc.tuple(atOnce, atOnce), order: fc.nat() }) },
  { weight: 1, arbitrary: soon },
  { weight: 3, arbitrary: held },
)

/** Looks for commands after which a desk differs from the model. `newStore` makes an empty store. */
export async function searchInbox(
  newStore: StoreUnderTest["newStore"],
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

async function runInbox(where: NewStore, steps: readonly Step[]): Promise<void> {
  const database = await databaseForTest(where)
  // Desks of one store have a connection each, and notify each other.
  const databases = database.isShared ? [database, await databaseForTest(where)] : [database]
  const world = await World.open(databases)
  let state = BEGINNING
  for (const opening of OPENING) state = await world.run(state, opening)
  await world.check(state, { do: "ask", work: 2 })
  for (const step of steps) {
    state = await world.take(state, step)
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
  const control: { scheduler: fc.Scheduler | undefined; hold: ((answer: () => void) => void) | undefined } = {
    scheduler: undefined,
    hold: undefined,
  }
  const answer: Answering = (heard, response) => {
    const { scheduler, hold } = control
    const send = () => answerNow(heard, response)
    const isHeld = heard.method === "GET" && String(heard.headers["traceparent"]).includes(TRACE)
    if (hold !== undefined && isHeld) return hold(send)
    if (scheduler === undefined) send()
    else void scheduler.schedule(Promise.resolve(), `${heard.method} ${heard.url}`).then(send)
  }
  const answerNow: Answering = ({ method, url, body, headers }, response) => {
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
  /** Every change of a Work has its version and its time. */
  function touch(work: FakeWork): void {
    work.version++
    work.json = { ...work.json, updated_at: new Date().toISOString() }
  }
  function resolve(work: FakeWork, items: object[], index: number, status: string): object {
    const found = items[index] ?? {}
    const version = Number(Reflect.get(found, "version")) + 1
    items[index] = { ...found, status, version, work_id: work.id }
    if (items === work.clarifications) delete work.clarificationId
    touch(work)
    return items[index]
  }
  const upstream = await startUpstream(answer)
  return { url: upstream.url, works, effects, control, addWork, touch, resolve }
}

/** Until an item or an absence of the kind `soon` ends: longer than the requests of a step. */
const SOON_MS = 1_500
const LONG_MS = 3_600_000
const durationOf = (lasts: "soon" | "long") => (lasts === "soon" ? SOON_MS : LONG_MS)

type Desk = Awaited<ReturnType<typeof startDesk>>

class World {
  /** One for each desk: two desks where the store can be shared. */
  readonly #databases: readonly Database[]
  readonly service: Awaited<ReturnType<typeof startModelService>>
  readonly #desks: Desk[]
  readonly #issuer: string
  /** Marks the requests that the desk sends to the service for a command. */
  #trace: string | undefined
  /** Each request goes to the next desk. */
  #turn = 0
  readonly #people = new Map<Name, PersonHeaders>()
  /** What was answered since the last check. */
  #answers: { readonly name: Name; readonly path: string; readonly text: string }[] = []
  /** The state at the last check. */
  #checked = BEGINNING

  static async open(databases: readonly Database[]): Promise<World> {
    const service = await startModelService()
    const { issuer } = await HostileProvider.start()
    const desks: Desk[] = []
    for (const database of databases) desks.push(await startDesk(service.url, issuer, database))
    const world = new World(databases, service, issuer, desks)
    for (const name of PEOPLE) {
      await world.#signIn(BEGINNING, name)
      // What happened before a person's first look counts as seen.
      await world.#read(name, "/desk/seen")
    }
    return world
  }

  private constructor(databases: readonly Database[], service: World["service"], issuer: string, desks: Desk[]) {
    this.#databases = databases
    this.service = service
    this.#issuer = issuer
    this.#desks = desks
  }

  get #desk(): Desk {
    return this.#desks[this.#turn++ % this.#desks.length] ?? expect.unreachable()
  }

  async #signIn(state: State, name: Name): Promise<void> {
    this.#people.set(name, await this.#desk.signIn(name, groupsOf(state, name)))
  }

  /** @returns the model's next state */
  async take(state: State, step: Step): Promise<State> {
    if ("do" in step) return this.run(state, step)
    if ("both" in step) return this.runBoth(state, step)
    if ("held" in step) return this.runHeld(state, step)
    const after = await this.run(await this.run(state, step.soon), step.meanwhile)
    const isOver = Date.now() + SOON_MS
    await expect.poll(() => Date.now()).toBeGreaterThan(isOver)
    return afterSoon(after)
  }

  /** Runs a command, and compares its status with the model's. @returns the model's next state */
  async run(state: State, command: Command): Promise<State> {
    const expected = next(state, command)
    const status = await this.#do(state, command)
    expect(status, JSON.stringify(command)).toBe(expected.status)
    return expected.state
  }

  /** Runs two commands at once. The result must be the same as in one of the two orders. */
  async runBoth(state: State, { both: [one, other], order }: Both): Promise<State> {
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
    const [first, second] = await this.#atOnce(order, [this.#do(state, one), this.#do(state, other)])
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

  /** Runs a command whose first read of the service is answered only after another command. @returns the model's next state */
  async runHeld(state: State, { held, meanwhile }: Held): Promise<State> {
    const { control } = this.service
    const { promise: isHeld, resolve } = Promise.withResolvers<() => void>()
    control.hold = (answer) => {
      control.hold = undefined
      resolve(answer)
    }
    this.#trace = `00-${TRACE}-00f067aa0ba902b7-01`
    const status = this.#do(state, held)
    const answer = await Promise.race([isHeld, status.then(() => undefined)])
    this.#trace = undefined
    control.hold = undefined
    const before = next(state, held)
    if (answer === undefined) {
      expect(await status, JSON.stringify(held)).toBe(before.status)
      return this.run(before.state, meanwhile)
    }
    const between = await this.run(state, meanwhile)
    const after = next(between, held)
    answer()
    const isRefused = (await status) >= 400
    // A request that is refused before and after, or for two reasons, may be refused for any of them.
    const mayBeRefused = before.status >= 400 || after.status >= 400
    const where = `${JSON.stringify(held)} while ${JSON.stringify(meanwhile)}`
    if (!isRefused || !mayBeRefused) expect(await status, where).toBe(after.status)
    return isRefused ? between : after.state
  }

  /** Waits for both, while the service answers their requests in the order that a scheduler with the seed `order` chooses. */
  async #atOnce<Result>(order: number, both: readonly [Promise<Result>, Promise<Result>]): Promise<[Result, Result]> {
    const [scheduler] = fc.sample(fc.scheduler(), { seed: order, numRuns: 1 })
    if (scheduler === undefined) throw new Error("no scheduler")
    const { control } = this.service
    control.scheduler = scheduler
    const under = { way: true }
    const done = Promise.all(both).finally(() => (under.way = false))
    done.catch(() => undefined)
    while (under.way || scheduler.count() > 0) {
      // The other request may still come. It may also wait for the first, in the desk or its store.
      for (let turn = 0; turn < TURNS && scheduler.count() < 2 && under.way; turn++) await setImmediate()
      if (scheduler.count() > 0) await scheduler.waitOne()
    }
    control.scheduler = undefined
    return done
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
        this.service.touch(work)
        const created_at = new Date().toISOString()
        const json = {
          work_id: work.id,
          created_at,
          requested_by_colleague: Reflect.get(work.json ?? {}, "colleague_id"),
        }
        const text = markOf(work.id)
        if (destination !== undefined)
          work.approvals.push(fakeApproval(id, { ...json, destination, subject: text, body: text, summary: text }))
        else {
          work.clarificationId = id
          work.clarifications.push(fakeClarification(id, { ...json, title: text, what_happened: text }))
        }
        return 0
      }
      case "restart": {
        const place = this.#turn % this.#desks.length
        const database = this.#databases[place] ?? expect.unreachable()
        this.#desks[place] = await startDesk(this.service.url, this.#issuer, database)
        return 0
      }
      case "sign in again":
        await this.#signIn(next(state, command).state, command.who)
        return 0
      case "sign out":
        return (await this.#send(command.who, "POST", "/desk/sign-out")).status
      case "away":
      case "return": {
        const at = (ms: number) => new Date(Date.now() + ms).toISOString()
        const { etag = "" } = (await this.#send(command.who, "GET", "/desk/away")).headers
        const away = command.do === "away" && {
          from: at(-1_000),
          until: at(durationOf(command.lasts)),
          stand_in: command.standIn === undefined ? null : this.#idOf(command.standIn),
        }
        return (await this.#send(command.who, "PUT", "/desk/away", away || null, etag)).status
      }
      case "see": {
        const work = workOf(state, command.work)
        if (work === undefined) return 0
        const body = { work: work.id, version: String(work.version) }
        return (await this.#send(command.who, "POST", "/desk/seen", body)).status
      }
      case "see all": {
        const { etag } = (await this.#send(command.who, "GET", "/desk/seen")).headers
        return (await this.#send(command.who, "POST", "/desk/seen", { all: etag ?? "" })).status
      }
      case "freeze":
        return (
          await this.#send(command.who, "PUT", "/desk/freeze", { colleague: command.colleague ?? null, reason: "wild" })
        ).status
      case "end the freeze": {
        const { colleague } = command
        const query = colleague === undefined ? "" : `?colleague=${colleague}`
        return (await this.#send(command.who, "DELETE", `/desk/freeze${query}`)).status
      }
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
        this.service.touch(work)
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
        const until = command.do === "aside" ? new Date(Date.now() + durationOf(command.lasts)).toISOString() : null
        return (await this.#send(command.who, "PUT", "/desk/aside", { ...ids, version: String(version), until })).status
      }
      case "take":
      case "hand":
      case "give back": {
        const name = command.do === "hand" ? command.to : command.do === "take" ? command.who : undefined
        const to = name === undefined ? null : { person: this.#idOf(name) }
        const isSignedOut = state.signedOut.includes(command.who)
        const entry = isSignedOut ? undefined : await this.#entry(command.who, id)
        const { etag = '"none"' } = entry?.assignment ?? {}
        return (await this.#send(command.who, "PUT", "/desk/assignment", { ...ids, to }, etag)).status
      }
    }
  }

  #idOf(name: Name): string {
    return this.#people.get(name)?.["Desk-Person"] ?? ""
  }

  async #send(
    name: Name,
    method: string,
    path: string,
    body?: object | null,
    ifMatch?: string,
    desk = this.#desk,
  ): Promise<Reply> {
    const reply = await send(desk.url, path, {
      method,
      headers: {
        ...this.#people.get(name),
        "Idempotency-Key": randomUUID(),
        "Cache-Control": "no-cache",
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(ifMatch !== undefined && { "If-Match": ifMatch }),
        ...(this.#trace !== undefined && { traceparent: this.#trace }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
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

  async #read(name: Name, path: string, desk = this.#desk) {
    const { status, text } = await this.#send(name, "GET", path, undefined, undefined, desk)
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
    const [reader] = PEOPLE.filter((name) => !state.signedOut.includes(name))
    if (reader !== undefined && isElsewhere(step))
      for (const desk of this.#desks) await this.#read(reader, "/desk/work", desk)
    for (const desk of this.#desks)
      for (const name of PEOPLE) {
        const isShown = async () => ({ name, ...(await this.#shownTo(state, name, desk)) })
        const isOut = state.signedOut.includes(name)
        await expect
          .poll(isShown, { interval: 10, message: `after ${JSON.stringify(step)}` })
          .toEqual(isOut ? { name, status: 401 } : { name, ...sorted(shown(state, name)), wronglyNew: [] })
      }
    this.#checkConcealed(state)
  }

  async #shownTo(state: State, name: Name, desk: Desk) {
    const nameOf = (id: string | undefined) => PEOPLE.find((each) => this.#idOf(each) === id) ?? "nobody"
    const { status, text } = await this.#send(name, "GET", "/desk/waiting", undefined, undefined, desk)
    if (status === 401) return { status }
    expect(status, text).toBe(200)
    const answer = JSON.parse(text)
    const entries: readonly WaitingEntry[] = [...answer.attention, ...answer.approvals]
    const needed = (list: readonly WaitingEntry[]) => list.filter((entry) => entry.needs_you === true).length
    expect(answer.needs_you).toEqual({ attention: needed(answer.attention), approvals: needed(answer.approvals) })
    const waiting = entries.map((entry) => ({
      id: entry.item.id,
      version: entry.item.version,
      needsYou: entry.needs_you === true,
      isAside: entry.aside?.until !== undefined,
      assignee: nameOf(entry.assignment?.to.person?.id),
      standIn: standInOf(entry.assignment?.to.person?.away, nameOf),
      given: (entry.approvals?.given ?? []).map((one) => nameOf(one.person.id)),
    }))
    const works: { data: { id: string }[] } = await this.#read(name, "/api/v1/work?status=working&limit=100", desk)
    const record: { data: RecordLine[] } = await this.#read(name, "/desk/record?limit=100", desk)
    const away: Absence | null = await this.#read(name, "/desk/away", desk)
    const news: { new: { work: string }[] } = await this.#read(name, "/desk/seen", desk)
    const listed = news.new.map(({ work }) => work)
    const { must, may } = newTo(state, name)
    // Of two decisions at once, the service may refuse the second.
    const lines = record.data
      .filter(({ outcome }) => outcome !== "refused")
      .map((line) => `${nameOf(line.person.id)} ${line.operation} ${line.item_id ?? ""} ${line.outcome}`)
    const standIn = away === null ? "is here" : nameOf(away.stand_in ?? undefined)
    return {
      ...sorted({ waiting, works: works.data.map(({ id }) => id), record: lines, away: standIn }),
      wronglyNew: [...listed.filter((id) => !may.includes(id)), ...must.filter((id) => !listed.includes(id))],
    }
  }
}

/** Who stands in for an absent person; whether they are here. */
function standInOf(away: ShownAbsence | undefined, nameOf: (id: string | undefined) => string): string {
  return away === undefined ? "is here" : nameOf(away.stand_in?.id)
}
type Absence = { readonly stand_in: string | null }
type ShownAbsence = { readonly stand_in: { readonly id: string } | null }

function othersIn(record: string, personId: string): readonly RecordLine[] {
  // A person who has just signed out is refused.
  const { data = [] }: { data?: RecordLine[] } = JSON.parse(record)
  return data.filter(({ person }) => person.id !== personId)
}

const isElsewhere = (step: Step) =>
  "do" in step && ["created elsewhere", "ask", "new version", "resolved elsewhere", "restart"].includes(step.do)

type WaitingEntry = {
  readonly item: { readonly id: string; readonly version: number }
  readonly needs_you?: true
  readonly aside?: { readonly until?: string }
  readonly assignment?: {
    readonly to: { readonly person?: { readonly id: string; readonly away?: ShownAbsence } }
    readonly etag: string
  }
  readonly approvals?: { readonly given: readonly { readonly person: { readonly id: string } }[] }
}
type RecordLine = {
  readonly person: { readonly id: string }
  readonly operation: string
  readonly item_id?: string
  readonly outcome: string
}

function sorted({ waiting, works, record, away }: ReturnType<typeof shown>) {
  const byId = (one: { id: string }, other: { id: string }) => one.id.localeCompare(other.id)
  return {
    waiting: waiting.map((entry) => ({ ...entry, given: entry.given.toSorted() })).sort(byId),
    works: works.toSorted(),
    record: record.toSorted(),
    away,
  }
}

function startDesk(url: string, issuer: string, database: Database) {
  return startSignInProxy(url, {
    people: { issuer, access: ACCESS, database },
    limits: { ...readLimits({}), personRequestsPerMinute: 1e9, clientRequestsPerMinute: 1e9 },
    configuration: { trustedProxies: readTrustedProxies("127.0.0.1") },
  })
}
