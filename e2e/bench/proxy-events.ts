/** Events through a contender to its viewers: how late, and what processor time and memory each delivery costs. */
import { connect } from "node:net"
import { pause, percentile, processorTime, residentBytes, until, type Contender } from "./proxy-contenders.ts"

export type EventFigures = {
  readonly streams: number
  readonly p50: number
  readonly p99: number
  /** Of the best round, in microseconds. */
  readonly processor: number
  readonly memory: number
}

export type EventRound = {
  readonly upstream: Contender
  readonly viewers: number
  /** Whether all viewers have one Work. Otherwise each has its own. */
  readonly isShared: boolean
  readonly rounds: number
  readonly roundMs: number
}

const EVENT_INTERVAL_MS = 25

/** 40 events a second. The next event waits until every viewer has the last one: two events in one write would count as two deliveries. */
export async function measureEvents(contender: Contender, asked: EventRound): Promise<EventFigures> {
  const { upstream, viewers, isShared, rounds, roundMs } = asked
  const idle = residentBytes(contender)
  const latencies: number[] = []
  let delivered = Promise.withResolvers<void>()
  let expected = Number.POSITIVE_INFINITY
  const sockets = Array.from({ length: viewers }, (_, index) => {
    const work = isShared ? `shared-${viewers}` : `work-${viewers}-${index}`
    const socket = connect(contender.port, "127.0.0.1")
    socket.write(
      `GET /api/v1/work/${work}/events?after=0 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer bench-token-of-some-length\r\n\r\n`,
    )
    socket.on("data", (chunk: Buffer) => {
      const now = process.hrtime.bigint()
      for (const [, sent = "0"] of chunk.toString("latin1").matchAll(/"at":"(\d+)"/g)) {
        latencies.push(Number(now - BigInt(sent)) / 1_000)
      }
      if (latencies.length >= expected) delivered.resolve()
    })
    return socket
  })
  const publish = async () => Number(await (await fetch(`http://127.0.0.1:${upstream.port}/publish`)).text())
  // Until everybody hears: the opening is not measured.
  do {
    latencies.length = 0
    await publish()
    await pause(500)
  } while (latencies.length < viewers)
  latencies.length = 0
  const costs: number[] = []
  let streams = 0
  for (let round = 0; round < rounds; round++) {
    const [processorBefore, began, deliveredBefore] = [processorTime(contender), performance.now(), latencies.length]
    while (performance.now() - began < roundMs) {
      delivered = Promise.withResolvers()
      expected = latencies.length + viewers
      const interval = pause(EVENT_INTERVAL_MS)
      streams = await publish()
      await Promise.all([delivered.promise, interval])
    }
    costs.push((processorTime(contender) - processorBefore) / (latencies.length - deliveredBefore))
  }
  const memory = (residentBytes(contender) - idle) / viewers
  for (const socket of sockets) socket.destroy()
  await until(async () => (await publish()) === 0)
  return {
    streams,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    processor: Math.min(...costs),
    memory,
  }
}
