/** Requests at many connections: how many are answered, how late, and what processor time each costs. */
import { connect, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { percentile } from "./figures.ts"
import type { Program, Programs } from "./program.ts"
import { processorTime } from "./usage.ts"

export type RequestLoad = {
  /** The connections are spread evenly over the programs. */
  readonly connections: number
  readonly forMs: number
  /** The bytes of each request of one connection. */
  readonly requestsOf: (program: Program, connection: number) => () => string
}

export type RequestRound = {
  readonly perSecond: number
  /** Of each answer, in microseconds. */
  readonly latencies: readonly number[]
  /** Of the programs for each answer, in microseconds. */
  readonly processor: number
}

export type RequestFigures = {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Of the best round, in microseconds. */
  readonly processor: number
}

// V8 is still compiling the desk's code after some seconds on a busy machine.
const WARM_UP_MS = 5_000

/**
 * Measures programs by turns, so that the noise of the machine meets each of them. Each program is warmed up first, because V8 compiles hot
 * code in the first seconds and that costs processor time too. The best round counts, because other programs can only make a round worse.
 */
export async function compareRequests(
  programs: readonly Program[],
  rounds: number,
  load: RequestLoad,
): Promise<Map<Program, RequestFigures>> {
  for (const program of programs) await sendRequests([program], { ...load, forMs: WARM_UP_MS })
  const measured = new Map<Program, RequestRound[]>(programs.map((program) => [program, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [program, before] of measured) before.push(await sendRequests([program], load))
  }
  return new Map([...measured].map(([program, all]) => [program, summarize(all)]))
}

function summarize(rounds: readonly RequestRound[]): RequestFigures {
  const latencies = rounds.flatMap((round) => round.latencies)
  return {
    perSecond: Math.max(...rounds.map(({ perSecond }) => perSecond)),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    processor: Math.min(...rounds.map(({ processor }) => processor)),
  }
}

/** Sends one request after the other on each connection. The client does as little as it can. The first requests are not measured. */
export async function sendRequests(programs: Programs, load: RequestLoad): Promise<RequestRound> {
  const { connections, forMs, requestsOf } = load
  const pids = programs.flatMap((program) => program.pids)
  const latencies: number[] = []
  const sockets: Socket[] = []
  let isRunning = true
  const done = Array.from({ length: connections }, (_, connection) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const program = programs[connection % programs.length] ?? programs[0]
    const nextRequest = requestsOf(program, connection)
    let answerBytes = 0
    let received = 0
    let began = 0
    const send = () => {
      if (!isRunning) return resolve()
      received = 0
      began = performance.now()
      return socket.write(nextRequest())
    }
    const socket = connect(program.port, "127.0.0.1", send)
    sockets.push(socket)
    socket.on("data", (chunk: Buffer) => {
      if (received === 0) answerBytes = lengthOfAnswer(chunk)
      received += chunk.length
      if (received < answerBytes) return
      latencies.push((performance.now() - began) * 1_000)
      send()
    })
    return promise
  })
  await pause(forMs / 8)
  latencies.length = 0
  const [processorBefore, began] = [processorTime(pids), performance.now()]
  await pause(forMs)
  const processor = (processorTime(pids) - processorBefore) / latencies.length
  const perSecond = (latencies.length / (performance.now() - began)) * 1_000
  isRunning = false
  await Promise.all(done)
  for (const socket of sockets) socket.destroy()
  return { perSecond, latencies, processor }
}

function lengthOfAnswer(first: Buffer): number {
  const text = first.toString("latin1")
  const head = text.indexOf("\r\n\r\n") + 4
  const length = /content-length: (\d+)/i.exec(text)?.[1]
  if (!/^HTTP\/1.1 20[01] /.test(text) || length === undefined) throw new Error(`unexpected: ${text.slice(0, 300)}`)
  return head + Number(length)
}
