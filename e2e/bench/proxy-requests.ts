/** Requests through a contender: how many, how late, and what processor time each costs. */
import { connect, type Socket } from "node:net"
import { pause, percentile, processorTime, type Contender } from "./proxy-contenders.ts"

export type RequestFigures = {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Of the best round, in microseconds. */
  readonly processor: number
}

// V8 is still compiling the desk's code after some seconds on a busy machine.
const WARM_UP_MS = 5_000

type Round = { readonly perSecond: number; readonly latencies: readonly number[]; readonly processor: number }

/**
 * Measures the contenders by turns, so that each meets the same noise. V8 compiles what is hot in the first seconds, and that is processor
 * time too: so each is warmed up first. Of the rounds the best is told, because other programs can only add to a round.
 */
export async function compareRequests(
  contenders: readonly Contender[],
  { connections, rounds, roundMs }: { readonly connections: number; readonly rounds: number; readonly roundMs: number },
): Promise<Map<Contender, RequestFigures>> {
  for (const contender of contenders) await runRound(contender, connections, WARM_UP_MS)
  const measured = new Map<Contender, Round[]>()
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) {
      const before = measured.get(contender) ?? []
      measured.set(contender, [...before, await runRound(contender, connections, roundMs)])
    }
  }
  return new Map([...measured].map(([contender, all]) => [contender, summarize(all)]))
}

function summarize(rounds: readonly Round[]): RequestFigures {
  const latencies = rounds.flatMap((round) => round.latencies)
  return {
    perSecond: Math.max(...rounds.map(({ perSecond }) => perSecond)),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    processor: Math.min(...rounds.map(({ processor }) => processor)),
  }
}

/** Each connection asks for its own Work, one request after the other, so that none is shared. The client does as little as it can. */
async function runRound(contender: Contender, connections: number, forMs: number): Promise<Round> {
  const latencies: number[] = []
  const sockets: Socket[] = []
  const cookie = contender.cookie === undefined ? "" : `Cookie: ${contender.cookie}\r\n`
  let isRunning = true
  const done = Array.from({ length: connections }, (_, index) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const bytes = `GET /api/v1/work/work-${index} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nAuthorization: Bearer bench-token-of-some-length\r\n${cookie}\r\n`
    let answerBytes = 0
    let received = 0
    let began = 0
    const ask = () => {
      if (!isRunning) return resolve()
      received = 0
      began = performance.now()
      return socket.write(bytes)
    }
    const socket = connect(contender.port, "127.0.0.1", ask)
    sockets.push(socket)
    socket.on("data", (chunk: Buffer) => {
      if (received === 0) answerBytes = wholeLength(chunk)
      received += chunk.length
      if (received < answerBytes) return
      latencies.push((performance.now() - began) * 1_000)
      ask()
    })
    return promise
  })
  await pause(forMs / 8)
  latencies.length = 0
  const [processorBefore, began] = [processorTime(contender), performance.now()]
  await pause(forMs)
  const processor = (processorTime(contender) - processorBefore) / latencies.length
  const perSecond = (latencies.length / (performance.now() - began)) * 1_000
  isRunning = false
  await Promise.all(done)
  for (const socket of sockets) socket.destroy()
  return { perSecond, latencies, processor }
}

function wholeLength(first: Buffer): number {
  const text = first.toString("latin1")
  const head = text.indexOf("\r\n\r\n") + 4
  const length = /content-length: (\d+)/i.exec(text)?.[1]
  if (!text.startsWith("HTTP/1.1 200") || length === undefined) throw new Error(`unexpected: ${text.slice(0, 200)}`)
  return head + Number(length)
}
