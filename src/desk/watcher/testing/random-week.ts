/** A watcher in simulated time, before an upstream whose Works and faults change at random. Finds what is missing and what is called complete wrongly. */
import { DoneWorkReads, type KnownWork } from "../done-work-reads.ts"
import { itemsOf } from "../watched-work.ts"
import { answerFrom, bucket, fakeApproval, fakeWork, problem, range, Simulation, type FakeWork } from "./simulation.ts"

/** More than the JSON of a Work has here. */
const WORK_BYTES = 500
const SECOND = 1_000
const MINUTE = 60 * SECOND

export type Week = {
  readonly seed: number
  readonly open: number
  readonly done: number
  /** Requests a minute. Infinity: the upstream names none. */
  readonly quota: number
  readonly lasts: number
  /** The share of all answers that are broken, each in its own way. Left out: answers are broken only by faults that last. */
  readonly brokenAnswers?: number
  /** The share of the Works and approvals that are malformed in one member. Left out: none. */
  readonly malformed?: number
  /** A page of a list with more bytes can't be read. Left out: every page can. */
  readonly pageMaxBytes?: number
  /** The upstream answers for this long, then fails for as long, and so on. Each time it answers, everything new must be found. */
  readonly upAndDownMs?: number
}

/** What the upstream does wrong, and which requests meet it. */
type Fault = {
  readonly meets: (target: string) => boolean
  readonly answer: { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> }
}

/** Mulberry32: the same seed gives the same week. */
export function randomFrom(seed: number) {
  let state = seed
  const random = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number) => Math.floor(random() * count)
  const pick = <Thing>(things: readonly Thing[]): Thing | undefined => things[below(things.length)]
  return { random, below, pick }
}

/** What becomes of an answer that is broken: it fails, is empty, ends too early, is too large, or says that there is no such thing. */
const BROKEN: readonly ((body: unknown) => Fault["answer"])[] = [
  () => problem(500, "BROKEN"),
  () => problem(502, "PROXY_UPSTREAM_UNREACHABLE"),
  () => problem(502, "PROXY_UPSTREAM_TOO_LARGE"),
  () => problem(404, "NOT_FOUND"),
  () => problem(403, "FORBIDDEN"),
  () => ({ status: 200, body: "" }),
  () => ({ status: 200, body: {} }),
  (body) => ({ status: 200, body: JSON.stringify(body).slice(0, -2) }),
]

/** Members of a Work that do not match openapi.yaml. */
const MALFORMED = [{ objective: undefined }, { priority: null }, { title: 7 }, { updated_at: [] }, { due_at: 5 }]

const OPEN = ["needs_you", "working", "paused"]

/** How much done Work the upstream keeps at least, as a service with retention does. The oldest goes first. */
const DONE_KEPT_MIN = 120

/** Runs a week. Returns a sentence for each promise that was broken. */
export function runWeek({
  seed,
  open,
  done: doneAtFirst,
  quota,
  lasts,
  brokenAnswers = 0,
  malformed = 0,
  pageMaxBytes = Number.POSITIVE_INFINITY,
  upAndDownMs,
}: Week): readonly string[] {
  const { random, below, pick } = randomFrom(seed)
  const isMalformed = () => malformed > 0 && random() < malformed
  const jsonOf = () => (isMalformed() ? { json: pick(MALFORMED) ?? {} } : {})
  const created = Date.now() - 86_400_000
  const works: FakeWork[] = [
    ...range(open).map((index) =>
      fakeWork(`w${index}`, created + index, { status: pick(OPEN) ?? "working", ...jsonOf() }),
    ),
    ...range(doneAtFirst).map((index) => fakeWork(`d${index}`, created - index, { status: "done", ...jsonOf() })),
  ]
  const known = new Map<string, KnownWork>()
  const done = new DoneWorkReads(known)
  const broken = new Set<string>()
  /** The open Work and pending items that the watcher has shown, each with its Work, and those that were notified as ended. */
  const shown = new Map<string, string>()
  const ended = new Set<string>()
  const stillHas = (workId: string, itemId: string) => {
    const work = simulation.works.find(({ id }) => id === workId)
    if (work === undefined || work.status === "done") return false
    return work.approvals.some((approval) => "id" in approval && approval.id === itemId)
  }
  const end = (workId: string, itemId: string, where: string) => {
    if (stillHas(workId, itemId)) broken.add(`seed ${seed}: ${where} ended ${itemId}, which waits`)
    ended.add(itemId)
    shown.delete(itemId)
  }
  const simulation: Simulation = new Simulation(works, {
    done,
    onResolved(workId, isResolved) {
      for (const [itemId, ofWork] of shown)
        if (ofWork === workId && isResolved(itemId, 0)) end(workId, itemId, "a check")
    },
    onApprovals(workId, _, version) {
      if (version !== undefined) known.set(workId, { version, facts: done.factsOf(workId) })
    },
  })
  const take = bucket(quota)
  let fault: Fault | undefined
  simulation.answer = (target, at) => {
    const { isAllowed, headers } = Number.isFinite(quota) ? take(at) : { isAllowed: true, headers: {} }
    if (!isAllowed) return { ...problem(429, "RATE_LIMITED"), headers }
    const whole = answerFrom(simulation.works, target)
    const isTooLarge = target.includes("?") && JSON.stringify(whole.body).length > pageMaxBytes
    const usual = isTooLarge ? problem(502, "PROXY_UPSTREAM_TOO_LARGE") : whole
    const broke = brokenAnswers > 0 && random() < brokenAnswers ? pick(BROKEN)?.(usual.body) : undefined
    const answer = fault?.meets(target) === true ? fault.answer : (broke ?? usual)
    return { ...answer, headers: { ...headers, ...("headers" in answer ? answer.headers : {}) } }
  }

  /** How long the upstream may have a Work or an item before the watcher must: the share of each class, doubled, and some minutes for pauses. */
  const bounds = () => {
    const aSecond = Math.min(quota / 2 / 60, 5)
    const isDone = ({ status }: FakeWork) => status === "done"
    const doneCount = simulation.works.filter(isDone).length
    const openCount = simulation.works.length - doneCount
    const perPage = Math.max(1, Math.min(100, Math.floor(pageMaxBytes / WORK_BYTES / 2)))
    const pagesOf = (count: number) => Math.ceil(count / perPage) + 3
    const listed = 5 * MINUTE + (20 * pagesOf(openCount) * SECOND) / aSecond
    const checked = listed + (20 * openCount * SECOND) / aSecond
    const doneListed = listed + MINUTE + 4 * pagesOf(doneCount) * Math.max(5, 10 / aSecond) * SECOND
    return { listed, checked, doneListed, all: Math.max(checked, doneListed) }
  }
  /** When something came to be that the watcher must find: a Work, open or done, or an approval. */
  const since = new Map<string, number>()
  const note = (what: string) => since.set(what, simulation.now)
  for (const { id } of works) note(id)
  let healthySince = 0
  let count = 0

  const change = () => {
    const work = pick(simulation.works.filter(({ status }) => status !== "done"))
    const chance = random()
    if (chance < 0.2 || work === undefined) {
      const id = `n${++count}`
      // Some Works end before the list was read once.
      const status = random() < 0.2 ? "done" : (pick(OPEN) ?? "working")
      const dones = simulation.works.filter((each) => each.status === "done")
      const gone = new Set(dones.slice(0, -Math.max(DONE_KEPT_MIN, doneAtFirst)))
      const kept = simulation.works.filter((each) => !gone.has(each))
      simulation.works = [...kept, fakeWork(id, created + simulation.now, { status, ...jsonOf() })]
      note(id)
    } else if (chance < 0.6) {
      const id = `a${++count}`
      // An approval that can't be read hides no other.
      const unreadable = isMalformed() ? [fakeApproval(`unreadable-${id}`, { summary: null })] : []
      work.approvals = [...unreadable, fakeApproval(id)]
      if (random() < 0.5) work.version++
      note(id)
    } else if (chance < 0.8) {
      work.status = pick(OPEN) ?? "working"
      work.version++
    } else {
      work.status = "done"
      work.version++
      note(work.id)
    }
    if (random() < 0.3) simulation.plan.hint(pick(simulation.works)?.id ?? "unknown", simulation.now)
  }

  const faultOf = (meets: Fault["meets"] | undefined) => {
    const answer = pick([
      problem(500, "BROKEN"),
      problem(503, "UNAVAILABLE"),
      problem(401, "UNAUTHENTICATED"),
      problem(400, "INVALID_CURSOR"),
      { ...problem(429, "RATE_LIMITED"), headers: { "Retry-After": String(below(30)) } },
      { status: 200, body: "garbage" },
      { status: 200, body: { data: [null] } },
    ])
    return meets && answer && { meets, answer }
  }
  const beginFault = () => {
    const id = pick(simulation.works)?.id ?? "unknown"
    const meets = pick([
      (target: string) => target.includes(`/${id}/`) || target.endsWith(`/${id}`),
      (target: string) => target.includes("cursor=100") && target.includes("status=paused"),
      (target: string) => target.includes("status=working"),
      (target: string) => target.includes("status=done") && target.includes("cursor="),
      (target: string) => target.includes("status=done"),
      (target: string) => !target.includes("?"),
      () => true,
    ])
    fault = faultOf(meets)
  }

  const isOlder = (what: string, boundMs: number) => simulation.now - (since.get(what) ?? 0) > boundMs
  const isShown = (id: string) => simulation.plan.state.works.has(id)
  const missingOpen = (bound = bounds().listed) =>
    simulation.works
      .filter(({ id, status }) => status !== "done" && !isShown(id) && isOlder(id, bound))
      .map(({ id }) => id)
  const missingDone = (bound = 2 * bounds().doneListed) =>
    simulation.works
      .filter(
        ({ id, status }) => status === "done" && !isShown(id) && done.factsOf(id) === undefined && isOlder(id, bound),
      )
      .map(({ id }) => id)
  const missingItems = (bound = bounds().checked) => {
    const shown = new Set(
      simulation.plan.state.works.values().flatMap((watched) => itemsOf(watched).map(({ id }) => id)),
    )
    return simulation.works
      .filter(({ status }) => status !== "done")
      .flatMap(({ approvals }) => approvals.map((approval) => ("id" in approval ? String(approval.id) : "")))
      .filter((id) => !id.startsWith("unreadable") && !shown.has(id) && isOlder(id, bound))
  }
  /** Notes what waits, as the notices do, and what the watcher proves to have ended. */
  const followItems = () => {
    const { state } = simulation.plan
    for (const watched of state.works.values())
      for (const { id } of itemsOf(watched)) {
        if (ended.has(id)) broken.add(`seed ${seed}: ${id} waits again`)
        shown.set(id, watched.work.id)
      }
    const list = state.knownWhole()
    const items = [...shown].map(([itemId, workId]) => ({ kind: "approval" as const, workId, itemId }))
    if (list.level === "whole") for (const { item } of list.findEnded(items)) end(item.workId, item.itemId, "the list")
  }
  const look = () => {
    const { plan } = simulation
    const isHealthy = fault === undefined && simulation.now - healthySince > 2 * bounds().all
    const when = `seed ${seed}, ${Math.round(simulation.now / MINUTE)} min`
    const isCalledComplete = simulation.isComplete && plan.state.unnamed === 0
    if (missingOpen().length > 0 && isCalledComplete) broken.add(`${when}: complete without ${missingOpen()[0]}`)
    if (missingDone().length > 0 && done.areShownDaysListed)
      broken.add(`${when}: done_complete without ${missingDone()[0]}`)
    const hasProblem = plan.state.failureFor(() => true) !== undefined
    if (missingItems().length > 0 && simulation.isComplete && !hasProblem && isHealthy) {
      broken.add(`${when}: complete without ${missingItems()[0]}`)
    }
    if (!isHealthy) return
    for (const id of [...missingOpen(), ...missingDone(), ...missingItems()]) broken.add(`${when}: ${id} is not found`)
  }

  /** Answers for a while, then fails for as long. The desk may restart while the upstream fails. */
  const goUpAndDown = (milliseconds: number) => {
    fault = undefined
    simulation.run(milliseconds, followItems)
    if (!simulation.isComplete) broken.add(`seed ${seed}: not complete while the upstream answers`)
    for (const id of [...missingOpen(0), ...missingItems(0)]) broken.add(`seed ${seed}: ${id} is not found`)
    for (const _ of range(1 + below(3))) change()
    fault = faultOf(() => true)
    if (random() < 0.3) simulation.restart()
    simulation.run(milliseconds, followItems)
    for (const _ of range(1 + below(3))) change()
  }
  if (upAndDownMs !== undefined) {
    for (const _ of range(lasts / upAndDownMs / 2)) goUpAndDown(upAndDownMs)
    return [...broken]
  }

  // A fault lasts three times as long as anything may take, and so does the time after it.
  const step = Math.min(bounds().all / 10, lasts / 60)
  for (const index of range(Math.floor(lasts / step))) {
    for (const _ of range(1 + below(2))) change()
    if (brokenAnswers > 0 && index % 5 === 4) simulation.restart()
    simulation.run(step, followItems)
    look()
    if (index % 60 === 10) beginFault()
    if (index % 60 === 40) {
      fault = undefined
      healthySince = simulation.now
    }
    if (broken.size > 3) break
  }
  fault = undefined
  const isWhole = () =>
    simulation.isComplete && done.isAllRead && [...missingOpen(0), ...missingDone(0), ...missingItems(0)].length === 0
  for (let spent = 0; spent < 40 && !isWhole(); spent++) simulation.run(bounds().all / 20)
  healthySince = Number.NEGATIVE_INFINITY
  look()
  if (!simulation.isComplete) broken.add(`seed ${seed}: not complete at the end`)
  if (!done.isAllListed) broken.add(`seed ${seed}: done Work is not all listed at the end`)
  return [...broken]
}

/** As `runWeek`, but returns only what is wrong about items that end. */
export const runBrokenWeek = (seed: number, brokenAnswers: number): readonly string[] =>
  runWeek({ seed, open: 20, done: 30, quota: Number.POSITIVE_INFINITY, lasts: 30 * MINUTE, brokenAnswers }).filter(
    (sentence) => /ended|again/.test(sentence),
  )
