import { QueryClient, QueryObserver } from "@tanstack/react-query"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { DeskError } from "./desk-error.ts"
import { type Pace, pollInterval, retryInterval } from "./polling.ts"

const PACE: Pace = { fast: 10_000, slow: 25_000 }

let client: QueryClient
let reads: number[]
let answer: () => Promise<unknown>

const options = (interval: ReturnType<typeof pollInterval>) => ({
  queryKey: ["polled"],
  queryFn: () => {
    reads.push(Date.now())
    return answer()
  },
  refetchInterval: interval,
  retry: false,
})

const refuse = (more: { retryAt?: number; retryable: boolean; status: number }) => () =>
  Promise.reject(new DeskError({ kind: "problem", title: "", detail: "", code: "", ...more }))

/** Reads for `ms` as a mounted component does. `every` renders the component again at that interval, as J and K do. */
async function poll(ms: number, every = 0): Promise<number[]> {
  const interval = pollInterval(PACE)
  const observer = new QueryObserver(client, options(interval))
  const end = observer.subscribe(() => undefined)
  for (let passed = 0; passed < ms; passed += 600) {
    await vi.advanceTimersByTimeAsync(600)
    if (every > 0 && passed % every === 0) observer.setOptions(options(interval))
  }
  end()
  return reads.slice(1).map((at, index) => at - (reads[index] ?? 0))
}

beforeEach(() => {
  vi.useFakeTimers()
  client = new QueryClient()
  reads = []
  answer = () => Promise.resolve({ items: [1] })
})
afterEach(() => {
  client.clear()
  vi.useRealTimers()
})

describe("what is polled", () => {
  it("is read less often the longer nothing changes, and soon after a change", async () => {
    const quiet = await poll(600_000)
    expect(quiet[0]).toBeLessThan(12_000)
    expect(quiet.at(-1)).toBeGreaterThan(24_000)
    let changes = 0
    answer = () => Promise.resolve({ items: [changes++] })
    reads = []
    const busy = await poll(120_000)
    expect(Math.max(...busy)).toBeLessThan(12_000)
  })

  it("is read however often the page is rendered meanwhile", async () => {
    const whileRendered = await poll(600_000, 1_200)
    expect(whileRendered.length).toBeGreaterThan(24)
  })
})

describe("what failed", () => {
  const intervalAfter = async (error: Parameters<typeof refuse>[0]) => {
    answer = refuse(error)
    const observer = new QueryObserver(
      client,
      options(() => false),
    )
    const end = observer.subscribe(() => undefined)
    await vi.advanceTimersByTimeAsync(1)
    end()
    return retryInterval(observer.getCurrentQuery())
  }

  it("is asked again at its Retry-After, and never by a timer that is too long for a browser", async () => {
    const now = performance.timeOrigin + performance.now()
    expect(await intervalAfter({ retryable: true, status: 429, retryAt: now + 60_000 })).toBeGreaterThan(59_000)
    client.clear()
    const long = await intervalAfter({ retryable: true, status: 429, retryAt: now + 3_000_000_000 })
    expect(long).toBeLessThan(2 ** 31)
  })

  it.each([
    [401, 30_000],
    [403, 30_000],
    [404, false],
    [502, 5_000],
  ])("with %i is asked again after %j ms", async (status, wait) => {
    expect(await intervalAfter({ retryable: status === 502, status })).toBe(wait)
  })
})
