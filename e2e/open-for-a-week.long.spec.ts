import type { CDPSession, Page } from "@playwright/test"
import type { EventUpstream } from "./event-upstream.ts"
import { entry, event, serve, WORK } from "./feed-verbs.ts"
import { expect, test } from "./fixtures.ts"
import { badgeOf } from "./waiting-tabs.ts"

test.use({ deskOptions: { upstream: "events" } })

const MINUTE = 60_000
const WEEK = 7 * 24 * 60 * MINUTE
const ROUNDS = 20
/** So many of the rounds are in the first hour, in which the browser compiles what runs often. The others are spread over the week. */
const FIRST_ROUNDS = 8
const EVENTS_OF_ROUND = 10_000 / ROUNDS
const ITEMS_OF_ROUND = 500 / ROUNDS
/** Longer than the app keeps what no page shows (`gcTime` of TanStack Query). */
const KEPT_MS = 6 * MINUTE
/** Longer than a read may take. */
const READ_MAX_MS = 42_000
/** At most so many signals and timers belong to reads of the last moments. One that each item leaves would be 300. */
const READS_MAX = 50

/** The approvals of a round. An even round has another number of them than an odd one. */
function approvalsOf(round: number, status: "pending" | "approved"): Parameters<EventUpstream["ask"]>[0] {
  return Array.from({ length: countOf(round) }, (_, index) => ({
    id: `approval-${round}-${index}`,
    work_id: "work_1",
    action_id: `send-${round}-${index}`,
    requested_by_colleague: "analyst",
    summary: `Send letter ${index} of round ${round}`,
    risk: "It cannot be taken back.",
    destination: "contracts@halden-logistics.example",
    subject: `Letter ${round}`,
    body: "Dear reader,\n\nplease find the letter below.",
    proposed_action_payload_hash: "sha256:abc",
    policy_reason: "It leaves the house.",
    status,
    version: status === "pending" ? 1 : 2,
    created_at: "2026-11-20T08:00:00Z",
    ...(status === "approved" && { resolved_at: "2026-11-20T09:00:00Z" }),
  }))
}

const countOf = (round: number) => ITEMS_OF_ROUND + (round % 2)

test("a tab that stays open for a week holds no more at its end than after its first hour", async ({
  context,
  page,
  eventUpstream,
}) => {
  test.setTimeout(600_000)
  const tabs = { inbox: page, list: await context.newPage(), work: await context.newPage() }
  const addresses = { inbox: "/approvals", list: "/work", work: WORK }
  const sent: string[] = []
  serve(eventUpstream, sent)
  eventUpstream.ask(approvalsOf(0, "pending"))
  const sessions = new Map<Page, CDPSession>()
  for (const name of ["inbox", "list", "work"] as const) {
    const tab = tabs[name]
    await tab.clock.install()
    await tab.addInitScript(countTimers)
    const session = await context.newCDPSession(tab)
    await session.send("HeapProfiler.enable")
    sessions.set(tab, session)
    await tab.goto(addresses[name])
  }
  const measure = async () => ({
    inbox: await heldBy(tabs.inbox, sessions.get(tabs.inbox)),
    list: await heldBy(tabs.list, sessions.get(tabs.list)),
    work: await heldBy(tabs.work, sessions.get(tabs.work)),
  })

  /** Events and items come, and the items of the round before go, while so much time passes in every tab. */
  const pass = async (round: number, ms: number) => {
    const events = Array.from({ length: EVENTS_OF_ROUND }, (_, index) => event(sent.length + index + 1))
    sent.push(...events)
    for (const stream of eventUpstream.streams) if (stream.isOpen()) stream.write(events.join(""))
    eventUpstream.ask([...approvalsOf(round - 1, "approved"), ...approvalsOf(round, "pending")])
    for (const tab of Object.values(tabs)) await tab.clock.fastForward(ms)
    await expect(async () => {
      for (const tab of Object.values(tabs)) {
        await tab.clock.fastForward(1_000)
        await expect(badgeOf(tab)).toHaveText(`Approvals ${countOf(round)}`, { timeout: 100 })
      }
      await expect(entry(tabs.work, `Step ${sent.length}`)).toBeVisible({ timeout: 100 })
      await expect(tabs.work.getByRole("heading", { name: `Send letter 0 of round ${round}` })).toBeVisible({
        timeout: 100,
      })
    }).toPass({ intervals: [200] })
    // Somebody goes to the next item.
    await tabs.inbox.keyboard.press("j")
    await expect(tabs.inbox.getByRole("article")).toBeVisible()
  }

  for (let round = 1; round < FIRST_ROUNDS; round++) await pass(round, (60 * MINUTE) / FIRST_ROUNDS)
  // The browser may still hold the previous card, so two rounds count: the larger at the beginning, the smaller at the end.
  const first = [await measure()]
  await pass(FIRST_ROUNDS, (60 * MINUTE) / FIRST_ROUNDS)
  first.push(await measure())
  await tabs.work.getByRole("heading", { name: "Send letter 9" }).last().focus()
  const last: (typeof first)[number][] = []
  for (let round = FIRST_ROUNDS + 1; round <= ROUNDS; round++) {
    await pass(round, WEEK / (ROUNDS - FIRST_ROUNDS))
    if (round >= ROUNDS - 1) last.push(await measure())
  }
  for (const name of ["inbox", "list", "work"] as const) {
    const before = (what: keyof Held) => Math.max(...first.map((held) => held[name][what]))
    const after = (what: keyof Held) => Math.min(...last.map((held) => held[name][what]))
    for (const what of ["heap", "listeners", "nodes"] as const)
      expect(after(what), `${what} of the tab ${name}`).toBeLessThan(before(what) * 1.1)
    for (const what of ["signals", "timers"] as const)
      expect(after(what), `${what} of the tab ${name}`).toBeLessThan(before(what) * 1.1 + READS_MAX)
  }
  // The card that had the focus has gone with the oldest ones.
  await expect(tabs.work.getByText(/^\d+ more (is|are) no longer pending/)).toBeVisible()
  expect(await tabs.work.evaluate(() => document.activeElement?.tagName)).toBe("H3")
})

type Held = {
  readonly heap: number
  readonly listeners: number
  readonly nodes: number
  readonly signals: number
  readonly timers: number
}

/** Counts the timers that wait: `waitingTimers()`. `AbortSignal.timeout` gets a timer that the page's clock moves. */
function countTimers() {
  const waiting = new Set<unknown>()
  Object.assign(globalThis, { waitingTimers: () => waiting.size })
  const { setTimeout: set, clearTimeout: clear, setInterval: setEach, clearInterval: clearEach } = globalThis
  Object.assign(globalThis, {
    setTimeout: (call: (...values: unknown[]) => void, ms: number, ...values: unknown[]) => {
      const id = set(() => {
        waiting.delete(id)
        call(...values)
      }, ms)
      waiting.add(id)
      return id
    },
    clearTimeout: (id: number) => {
      waiting.delete(id)
      clear(id)
    },
    setInterval: (call: () => void, ms: number, ...values: unknown[]) => {
      const id = setEach(call, ms, ...values)
      waiting.add(id)
      return id
    },
    clearInterval: (id: number) => {
      waiting.delete(id)
      clearEach(id)
    },
  })
  AbortSignal.timeout = (ms) => {
    const over = new AbortController()
    globalThis.setTimeout(() => over.abort(new DOMException("", "TimeoutError")), ms)
    return over.signal
  }
}

/** What a tab holds after the collection of garbage. A read that is under way holds something too, so the least of several counts stays. */
async function heldBy(tab: Page, session: CDPSession | undefined): Promise<Held> {
  if (session === undefined) throw new Error("The tab is not open")
  const counts: Held[] = []
  await tab.clock.fastForward(KEPT_MS)
  for (let time = 0; time < 5; time++) {
    await tab.clock.fastForward(READ_MAX_MS)
    await tab.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
    await session.send("HeapProfiler.collectGarbage")
    const { result } = await session.send("Runtime.evaluate", { expression: "AbortSignal.prototype" })
    const { objects } = await session.send("Runtime.queryObjects", {
      prototypeObjectId: result.objectId ?? "",
      objectGroup: "held",
    })
    const signals = await session.send("Runtime.callFunctionOn", {
      objectId: objects.objectId ?? "",
      functionDeclaration: "function () { return this.length }",
      returnByValue: true,
    })
    await session.send("Runtime.releaseObjectGroup", { objectGroup: "held" })
    const { nodes, jsEventListeners } = await session.send("Memory.getDOMCounters")
    const { usedSize } = await session.send("Runtime.getHeapUsage")
    const timers = Number(await tab.evaluate("waitingTimers()"))
    counts.push({ heap: usedSize, listeners: jsEventListeners, nodes, signals: Number(signals.result.value), timers })
  }
  const least = (of: keyof Held) => Math.min(...counts.map((held) => held[of]))
  return {
    heap: least("heap"),
    listeners: least("listeners"),
    nodes: least("nodes"),
    signals: least("signals"),
    timers: least("timers"),
  }
}
