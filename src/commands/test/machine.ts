/**
 * Measures whether the machine was disturbed while tests ran. Once a second it looks at the timer, at the processor time that the host took
 * away, and at a computation that always takes the same work. The tests themselves change none of the three much: they delay a timer by a
 * tenth of a second, and a thread's processor time does not count the time for which it waits.
 */
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

/** What the machine did in one second. */
export type Second = {
  /** By how many milliseconds the timer of the second was late. */
  readonly lateMs: number
  /** The share of the processors' time that the host gave to other machines (`steal` of proc_stat(5)), 0 to 1. */
  readonly stolen: number
  /** How many milliseconds of processor time the computation took, and how many passed meanwhile. */
  readonly computedMs: number
  readonly elapsedMs: number
}

/** The processor time of the computation on a machine on which the tests pass within five minutes. */
const REFERENCE_MS = 16.5
/** A second is slow if its computation takes more than this multiple of REFERENCE_MS. */
const SLOW_FACTOR = 1.3
const STOLEN_MAX_SHARE = 0.1
/** While no test runs, a computation that waits for longer than it computes shows that other programs use the processors. */
const WAITED_MAX_FACTOR = 1
/** With so many disturbed seconds the machine was disturbed. Fewer make no test fail, because each test waits for at least three seconds. */
const DISTURBED_SECONDS_MIN = 3
const IDLE_SECONDS = 3

/**
 * Watches the machine: three seconds in which nothing of ours runs, then all seconds until the function that it gives is called, then three
 * more. Resolves after the first three seconds: the tests may begin. The function that it gives says whether the machine was disturbed, and why.
 */
export async function watchMachine(): Promise<() => Promise<ReturnType<typeof judge>>> {
  for (let turn = 0; turn < IDLE_SECONDS; turn++) compute()
  const [idle, busy]: [Second[], Second[]] = [[], []]
  const end = new AbortController()
  await collect(idle, IDLE_SECONDS)
  const watching = collect(busy, Number.POSITIVE_INFINITY, end.signal)
  return async () => {
    end.abort()
    await watching
    await collect(idle, IDLE_SECONDS)
    return judge(idle, busy)
  }
}

/** Judges the seconds without tests and with tests. */
export function judge(idle: readonly Second[], busy: readonly Second[]) {
  const all = [...idle, ...busy]
  const late = all.reduce((sum, { lateMs }) => sum + Math.floor(lateMs / 1000), 0)
  const stolen = all.filter((second) => second.stolen > STOLEN_MAX_SHARE).length
  const slow = all.filter(({ computedMs }) => computedMs > SLOW_FACTOR * REFERENCE_MS).length
  const shared = idle.filter(
    ({ computedMs, elapsedMs }) => elapsedMs - computedMs > WAITED_MAX_FACTOR * computedMs,
  ).length
  const computed = all.map(({ computedMs }) => computedMs).toSorted((a, b) => a - b)
  const at = (share: number) => (computed[Math.floor(share * (computed.length - 1))] ?? 0).toFixed(0)
  return {
    isDisturbed: late + stolen + slow + shared >= DISTURBED_SECONDS_MIN,
    figures:
      `the computation took ${at(0)} to ${at(1)} ms, ${at(0.5)} in the median (${REFERENCE_MS} on a machine that is fast enough); of ` +
      `${all.length} seconds ${slow} were slow, in ${stolen} processor time was stolen, in ${shared} of ${idle.length} without tests ` +
      `other programs computed, and the process stood still for ${late}`,
  }
}

/** Adds seconds until there are `most` more, or `signal` ends it. */
async function collect(seconds: Second[], most: number, signal?: AbortSignal): Promise<void> {
  for (let count = 0; count < most; count++) {
    const begun = performance.now()
    const before = readProcessors()
    await sleep(1000, undefined, { ...(signal && { signal }) }).catch(() => {})
    if (signal?.aborted === true) return
    const lateMs = performance.now() - begun - 1000
    const after = readProcessors()
    const stolen = (after.stolen - before.stolen) / Math.max(1, after.total - before.total)
    seconds.push({ lateMs, stolen, ...timeComputation() })
  }
}

function timeComputation(): Pick<Second, "computedMs" | "elapsedMs"> {
  const used = process.threadCpuUsage()
  const begun = performance.now()
  compute()
  const elapsedMs = performance.now() - begun
  const { user, system } = process.threadCpuUsage(used)
  return { computedMs: (user + system) / 1000, elapsedMs }
}

/** Ten million steps of a xorshift generator: no memory, no library, no branch. */
function compute(): number {
  let state = 1
  for (let step = 0; step < 10_000_000; step++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
  }
  return state
}

/** The time of all processors and the stolen part of it since the start of the system, in ticks. 0 where the system does not count it. */
function readProcessors(): { readonly total: number; readonly stolen: number } {
  try {
    const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n", 1)
    const ticks = line.split(/\s+/).slice(1, 9).map(Number)
    return { total: ticks.reduce((sum, each) => sum + each, 0), stolen: ticks[7] ?? 0 }
  } catch {
    return { total: 0, stolen: 0 }
  }
}
