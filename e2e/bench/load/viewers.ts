/** Viewers of event streams: how late an event reaches them, and what processor time and memory each delivery costs. */
import { connect } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { percentile } from "./figures.ts"
import type { Program, Programs } from "./program.ts"
import { followWork } from "./requests.ts"
import { processorTime, residentBytes } from "./usage.ts"

const EVENT_INTERVAL_MS = 25
const SETTLE_MS = 500
const LOOK_MS = 50

/** One viewer: where it connects, and its whole request. */
export type Viewer = { readonly port: number; readonly request: string }

export type OpenViewers = {
  /** Of each delivery so far, in microseconds. */
  readonly latencies: number[]
  /** Waits until so many deliveries are in `latencies`. */
  untilDelivered(count: number): Promise<void>
  close(): void
}

/** Opens the viewers, each on a connection of its own. `latenciesIn` finds how late the events of a text are, in microseconds. */
export function openViewers(viewers: readonly Viewer[], latenciesIn: (text: string) => number[]): OpenViewers {
  const latencies: number[] = []
  let waiting = { count: Number.POSITIVE_INFINITY, reached: () => {} }
  const sockets = viewers.map(({ port, request }) => {
    const socket = connect(port, "127.0.0.1")
    socket.write(request)
    socket.on("data", (chunk: Buffer) => {
      latencies.push(...latenciesIn(chunk.toString("latin1")))
      if (latencies.length >= waiting.count) waiting.reached()
    })
    return socket
  })
  return {
    latencies,
    untilDelivered(count) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting = { count, reached: resolve }
      if (latencies.length >= count) resolve()
      return promise
    },
    close() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

export type EventLoad = {
  /** The program that publishes the events. */
  readonly upstream: Program
  /** The viewers are spread evenly over the programs. */
  readonly viewers: number
  /** The Work that a viewer follows. */
  readonly workOf: (viewer: number) => string
  readonly rounds: number
  readonly roundMs: number
}

export type EventFigures = {
  /** Streams that were open to the upstream. */
  readonly streams: number
  /** Deliveries a second. */
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Of the best round for each delivery, in microseconds. */
  readonly processor: number
  /** Bytes a viewer. */
  readonly memory: number
}

/** 40 events a second. The next event waits until every viewer has the last one: two events in one write would count as two deliveries. */
export async function deliverEvents(programs: Programs, load: EventLoad): Promise<EventFigures> {
  const { upstream, viewers, workOf, rounds, roundMs } = load
  const pids = programs.flatMap((program) => program.pids)
  const idle = residentBytes(pids)
  const open = openViewers(
    Array.from({ length: viewers }, (_, viewer) => {
      const program = programs[viewer % programs.length] ?? programs[0]
      return { port: program.port, request: followWork(program, workOf(viewer)) }
    }),
    latenciesOfPublished,
  )
  const { latencies } = open
  const publish = async () => Number(await (await fetch(`http://127.0.0.1:${upstream.port}/publish`)).text())
  // The opening is not measured: it ends when an event reaches every viewer.
  do {
    latencies.length = 0
    await publish()
    await pause(SETTLE_MS)
  } while (latencies.length < viewers)
  latencies.length = 0
  const costs: number[] = []
  const begun = performance.now()
  let streams = 0
  for (let round = 0; round < rounds; round++) {
    const [processorBefore, began, deliveredBefore] = [processorTime(pids), performance.now(), latencies.length]
    while (performance.now() - began < roundMs) {
      const delivered = open.untilDelivered(latencies.length + viewers)
      const interval = pause(EVENT_INTERVAL_MS)
      streams = await publish()
      await Promise.all([delivered, interval])
    }
    costs.push((processorTime(pids) - processorBefore) / (latencies.length - deliveredBefore))
  }
  const perSecond = (latencies.length / (performance.now() - begun)) * 1_000
  const memory = (residentBytes(pids) - idle) / viewers
  open.close()
  while ((await publish()) > 0) await pause(LOOK_MS)
  const processor = Math.min(...costs)
  return { streams, perSecond, p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99), processor, memory }
}

/** The upstream of roles.ts writes into each event when the event was published, in nanoseconds of the machine's clock. */
function latenciesOfPublished(text: string): number[] {
  const now = process.hrtime.bigint()
  return [...text.matchAll(/"at":"(\d+)"/g)].map(([, at = "0"]) => Number(now - BigInt(at)) / 1_000)
}
