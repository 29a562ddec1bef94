/**
 * What the proxy costs: `node e2e/bench/proxy.bench.ts [seconds a measurement]`. Compares, in one run, the desk with the upstream itself, nginx
 * (where it is installed) and http-proxy-3, which add the same credential, and with the least that Node can do: undici alone, and bare writes
 * to sockets. `--download` adds a gigabyte that is read at 5 MB/s.
 */
import { compareRequests } from "./load/connections.ts"
import { measureDownload } from "./load/download.ts"
import { secondsAsked } from "./load/figures.ts"
import { endPrograms, start, startNginx, type Program } from "./load/program.ts"
import { readWork } from "./load/requests.ts"
import { deliverEvents } from "./load/viewers.ts"

const ROUND_MS = 250
const seconds = secondsAsked()

const us = (value: number) => `${value.toFixed(0)} µs`
const times = (value: number, than: number | undefined) => (than === undefined ? "" : `${(value / than).toFixed(2)}×`)

try {
  const upstream = await start("upstream")
  const desk = await start("Workdesk", upstream)
  const deskWithSignIn = await start("Workdesk with sign-in", upstream)
  const other = await start("http-proxy-3", upstream)
  const nginx = await startNginx(upstream)
  if (process.argv.includes("--download")) {
    console.log("\nA gigabyte, at 5 MB/s for 30 s and then as fast as it comes")
    console.table(await measureDownload(desk))
  }
  const undici = await start("undici alone", upstream)
  await showRequests(upstream, [...(nginx === undefined ? [] : [nginx]), undici, desk, deskWithSignIn, other])
  await showEvents(upstream, { desk, other, nginx, bare: await start("bare writes", upstream) })
} finally {
  await endPrograms()
}

async function showRequests(upstream: Program, others: readonly Program[]): Promise<void> {
  const rounds = Math.ceil((seconds * 1_000) / ROUND_MS)
  for (const connections of [1, 50]) {
    const load = { connections, forMs: ROUND_MS, requestsOf: readWork }
    const figures = await compareRequests([upstream, ...others], rounds, load)
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

type EventPrograms = {
  readonly desk: Program
  readonly other: Program
  readonly nginx: Program | undefined
  readonly bare: Program
}

async function showEvents(upstream: Program, { desk, other, nginx, bare }: EventPrograms): Promise<void> {
  const rows: Record<string, Record<string, string | number>> = {}
  for (const viewers of [1, 100, 1_000]) {
    const oneWork = () => `shared-${viewers}`
    const ownWork = (viewer: number) => `work-${viewers}-${viewer}`
    const kinds: (readonly [name: string, program: Program, workOf: (viewer: number) => string])[] = [
      ...(nginx === undefined ? [] : [["nginx", nginx, oneWork] as const]),
      ["Workdesk, one Work", desk, oneWork],
      ["Workdesk, a Work each", desk, ownWork],
      ["http-proxy-3", other, oneWork],
      ["bare writes", bare, oneWork],
    ]
    let ofNginx: number | undefined
    for (const [name, program, workOf] of kinds) {
      const load = { upstream, viewers, workOf, rounds: Math.ceil(seconds), roundMs: 1_000 }
      const { streams, p50, p99, processor, memory } = await deliverEvents([program], load)
      if (program === nginx) ofNginx = processor
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
