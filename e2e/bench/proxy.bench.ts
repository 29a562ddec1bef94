/**
 * What the proxy costs, side by side in one run: `node e2e/bench/proxy.bench.ts [seconds a measurement]`. Against the upstream itself, nginx (where
 * it is installed) and http-proxy-3, which put the same credential in, and against the least that Node can do: undici alone, and bare writes to
 * sockets. `--download` adds a gigabyte read at 5 MB/s.
 */
import { start, startNginx, stopAll, type Contender } from "./proxy-contenders.ts"
import { measureDownload } from "./proxy-download.ts"
import { measureEvents } from "./proxy-events.ts"
import { compareRequests } from "./proxy-requests.ts"

const seconds = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 4)
const ROUND_MS = 250
const rounds = Math.ceil((seconds * 1_000) / ROUND_MS)

const us = (value: number) => `${value.toFixed(0)} µs`
const times = (value: number, than: number | undefined) => (than === undefined ? "" : `${(value / than).toFixed(2)}×`)

try {
  const upstream = await start("upstream")
  const upstreamUrl = `http://127.0.0.1:${upstream.port}`
  const ours = await start("ours", upstreamUrl)
  const signedIn = await start("ours, signed in", upstreamUrl)
  const other = await start("http-proxy-3", upstreamUrl)
  const nginx = await startNginx(upstream.port)
  if (process.argv.includes("--download")) {
    console.log("\nA gigabyte, at 5 MB/s for 30 s and then as fast as it comes")
    console.table(await measureDownload(ours))
  }
  const least = await start("undici alone", upstreamUrl)
  await showRequests(upstream, [...(nginx === undefined ? [] : [nginx]), least, ours, signedIn, other])
  await showEvents(upstream, { ours, other, nginx, bare: await start("bare writes", upstreamUrl) })
} finally {
  await stopAll()
}

async function showRequests(upstream: Contender, others: readonly Contender[]): Promise<void> {
  for (const connections of [1, 50]) {
    const figures = await compareRequests([upstream, ...others], { connections, rounds, roundMs: ROUND_MS })
    const direct = figures.get(upstream)
    const nginx = [...figures].find(([{ name }]) => name === "nginx")?.[1]
    const rows = [...figures].map(([{ name }, { perSecond, p50, p99, processor }]) => [
      name === "upstream" ? "upstream direct" : name,
      {
        "requests/s": perSecond.toFixed(0),
        p50: us(p50),
        "p50 added": us(p50 - (direct?.p50 ?? 0)),
        p99: us(p99),
        "p99 added": us(p99 - (direct?.p99 ?? 0)),
        "processor a request": `${processor.toFixed(1)} µs`,
        "of nginx": times(processor, nginx?.processor),
      },
    ])
    console.log(`\n2 kB of JSON, ${connections} connection${connections === 1 ? "" : "s"}`)
    console.table(Object.fromEntries(rows))
  }
}

type EventContenders = {
  readonly ours: Contender
  readonly other: Contender
  readonly nginx: Contender | undefined
  /** Writes the upstream's bytes to each viewer's socket: what no Node program can undercut. */
  readonly bare: Contender
}

async function showEvents(upstream: Contender, { ours, other, nginx, bare }: EventContenders): Promise<void> {
  const rows: Record<string, Record<string, string | number>> = {}
  for (const viewers of [1, 100, 1_000]) {
    const kinds: [string, Contender, boolean][] = [
      ...(nginx === undefined ? [] : [["nginx", nginx, true] satisfies [string, Contender, boolean]]),
      ["ours, shared", ours, true],
      ["ours, a Work each", ours, false],
      ["http-proxy-3", other, true],
      ["bare writes", bare, true],
    ]
    let ofNginx: number | undefined
    for (const [name, contender, isShared] of kinds) {
      const asked = { upstream, viewers, isShared, rounds: Math.ceil(seconds), roundMs: 1_000 }
      const { streams, p50, p99, processor, memory } = await measureEvents(contender, asked)
      if (contender === nginx) ofNginx = processor
      rows[`${viewers} viewers, ${name}`] = {
        "upstream streams": streams,
        p50: us(p50),
        p99: us(p99),
        "processor a delivery": `${processor.toFixed(1)} µs`,
        "of nginx": times(processor, ofNginx),
        "memory a viewer": `${(memory / 1_024).toFixed(0)} kB`,
      }
    }
  }
  console.log("\nEvents, 40 a second")
  console.table(rows)
}
