/**
 * From the service's event to the pixels in a browser, through the real proxy (`npm run bench`): the feed of a Work's page beside the least
 * that a page can do, an EventSource that writes each event into one bare element. Both are measured in turns, at 1, 7 and 200 events a second.
 *
 * The clock starts when the metronome makes the event, before its commit (`published_at`, whole milliseconds rounded down: up to 1 ms too
 * early); it stops after the frame in which the page shows it. The service's own reader, in Node, tells how much of it is the commit. An
 * event is left out when the host of a virtual machine took the processor away before its frame.
 */
import { get } from "node:http"
import { chromium, type Page } from "@playwright/test"
import { findOrInstallBrowser } from "../chromium.ts"
import { startDesk, type Desk } from "../start-desk.ts"
import { watchStolenTime } from "./stolen-time.ts"

/**
 * Events a second, the seconds of a turn in which they are measured, and the turns. At 1 a second, the time from an event to the next frame is
 * the same for all events of one page, because both follow one clock. So there are many pages. At 7 a second the events still come one by
 * one, and at every moment of a frame.
 */
const RATES = [
  { rate: 1, seconds: 4, rounds: 12 },
  { rate: 7, seconds: 8, rounds: 4 },
  { rate: 200, seconds: 6, rounds: 2 },
]
const SETTLE_MS = 2_000

/** When each beat was seen, in milliseconds of the clock that all processes of a machine share. */
type Seen = Map<number, number>

const browser = await chromium.launch({
  ...findOrInstallBrowser(),
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
})
const stolenTime = watchStolenTime()
const desk = await startDesk({ service: { limits: { streamsPerCredential: 100 } } })
try {
  console.log(
    "\n| events a second | seen by | events | left out | p50 ms | p95 ms | p95 to the bare element's |\n|---:|---|---:|---:|---:|---:|---:|",
  )
  for (const { rate, seconds, rounds } of RATES) await measure(rate, seconds * 1_000, rounds)
} finally {
  stolenTime.stop()
  await browser.close()
  await desk.stop()
}

/** The milliseconds of the events that were measured undisturbed, and how many others there were. */
type Latencies = { readonly ms: number[]; leftOut: number }

async function measure(rate: number, forMs: number, rounds: number): Promise<void> {
  const work = await desk.owner.delegate({ colleague_id: "metronome", objective: `rate=${rate}` })
  const stream = `/api/v1/work/${work.id}/events`
  const service = follow(desk, stream)
  const none = (): Latencies => ({ ms: [], leftOut: 0 })
  const latencies = { service: none(), bare: none(), feed: none() }
  const take = (into: Latencies, seen: Seen) => {
    for (const [beat, at] of seen) {
      const made = service.published.get(beat)
      if (made === undefined) continue
      if (stolenTime.wasStolen(made, at)) into.leftOut++
      else into.ms.push(at - made)
    }
  }
  for (let round = 0; round < rounds; round++) {
    take(latencies.bare, await watch(`${desk.url}/desk/health`, stream, forMs))
    service.received.clear()
    take(latencies.feed, await watch(`${desk.url}/work/${work.id}?activity=raw`, undefined, forMs))
    take(latencies.service, service.received)
  }
  service.stop()
  const base = percentile(latencies.bare.ms, 0.95)
  for (const [name, { ms, leftOut }] of [
    ["a reader in Node at the service itself", latencies.service],
    ["EventSource and one bare element, through the proxy", latencies.bare],
    ["the Work's feed, through the proxy", latencies.feed],
  ] as const) {
    const p95 = percentile(ms, 0.95)
    const figures = [percentile(ms, 0.5).toFixed(1), p95.toFixed(1), (p95 / base).toFixed(2)]
    console.log(`| ${rate} | ${name} | ${ms.length} | ${leftOut} | ${figures.join(" | ")} |`)
  }
}

/** Opens a page, lets it settle, and returns when each beat was on its screen: in its feed, or in an element that `stream` is written to. */
async function watch(address: string, stream: string | undefined, forMs: number): Promise<Seen> {
  // The bare page's own policy lets nothing connect.
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, bypassCSP: stream !== undefined })
  await page.goto(address)
  if (stream === undefined)
    await page
      .getByRole("log")
      .getByText(/^Beat \d/)
      .first()
      .waitFor()
  const seen = await watchPixels(page, stream, SETTLE_MS + forMs)
  await page.close()
  const [[, begun] = [0, 0]] = seen
  return new Map(seen.filter(([, at]) => at > begun + SETTLE_MS))
}

function watchPixels(page: Page, stream: string | undefined, forMs: number): Promise<[beat: number, at: number][]> {
  return page.evaluate(
    async ([stream, forMs]) => {
      const element = document.querySelector('[role="log"]') ?? document.body.appendChild(document.createElement("p"))
      const seen: [number, number][] = []
      let newest = -1
      let shown = -1
      new MutationObserver(() => {
        for (const [, beat] of element.textContent.matchAll(/Beat (\d+)/g)) newest = Math.max(newest, Number(beat))
      }).observe(element, { subtree: true, childList: true, characterData: true })
      // A message that is posted within a frame's callbacks arrives when that frame has been painted.
      const painted = new MessageChannel()
      painted.port1.addEventListener("message", () => {
        const at = performance.timeOrigin + performance.now()
        if (shown !== -1) for (let beat = shown + 1; beat <= newest; beat++) seen.push([beat, at])
        shown = newest
      })
      painted.port1.start()
      const frame = () => {
        painted.port2.postMessage("")
        requestAnimationFrame(frame)
      }
      requestAnimationFrame(frame)
      if (stream !== undefined) {
        new EventSource(stream).addEventListener("beat", ({ data }) => {
          element.textContent = `Beat ${String(JSON.parse(String(data)).beat)}`
        })
      }
      await new Promise((resolve) => setTimeout(resolve, forMs))
      return seen
    },
    [stream, forMs] as const,
  )
}

/** Reads the service's stream itself: when each beat was made, and when it came. */
function follow({ serviceUrl, token }: Desk, path: string) {
  const published: Seen = new Map()
  const received: Seen = new Map()
  const request = get(`${serviceUrl}${path}`, { headers: { authorization: `Bearer ${token}` } }, (response) => {
    let rest = ""
    response.on("error", () => {})
    response.on("data", (piece: Buffer) => {
      const now = performance.timeOrigin + performance.now()
      const frames = (rest + piece.toString("latin1")).split("\n\n")
      rest = frames.pop() ?? ""
      for (const frame of frames) {
        const [, beat, at] = /"beat":(\d+),.*"published_at":"([^"]+)"/.exec(frame) ?? []
        if (beat === undefined || at === undefined) continue
        published.set(Number(beat), Date.parse(at))
        received.set(Number(beat), now)
      }
    })
  })
  request.on("error", () => {})
  return { published, received, stop: () => request.destroy() }
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN
}
