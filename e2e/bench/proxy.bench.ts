/**
 * What the proxy costs, side by side in one run: `node e2e/bench/proxy.bench.ts [seconds a measurement]`. Against the upstream itself, nginx (where
 * it is installed) and http-proxy-3, which put the same credential in. `--download` adds a gigabyte read at 5 MB/s.
 */
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { freePort } from "../../src/people/testing/free-port.ts"
import {
  children,
  endPrograms,
  folder,
  measureEvents,
  measureRequests,
  type Measured,
  type Program,
  readingWork,
  residentBytes,
  start,
  until,
} from "./load.ts"

async function startNginx(upstreamPort: number): Promise<Program | undefined> {
  const path = spawnSync("sh", ["-c", "PATH=$PATH:/usr/sbin command -v nginx"]).stdout.toString().trim()
  if (path === "") return undefined
  const port = await freePort()
  const configuration = join(folder, "nginx.conf")
  writeFileSync(
    configuration,
    `daemon off; worker_processes 1; error_log stderr crit; pid ${folder}/nginx.pid;
     events { worker_connections 4096; }
     http { access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder}; uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
       upstream up { server 127.0.0.1:${upstreamPort}; keepalive 1024; }
       server { listen 127.0.0.1:${port}; keepalive_requests 100000000;
         location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;
           proxy_set_header Authorization "Bearer bench-token-of-some-length"; } } }`,
  )
  const child = spawn(path, ["-c", configuration], { stdio: "inherit" })
  children.push(child)
  await until(async () => spawnSync("pgrep", ["-P", String(child.pid)]).stdout.length > 0)
  const workers = spawnSync("pgrep", ["-P", String(child.pid)])
    .stdout.toString()
    .trim()
    .split("\n")
    .map(Number)
  return { name: "nginx", port, pids: workers }
}

/** A gigabyte at 5 MB/s for some time, then as fast as it comes. */
async function measureDownload(program: Program) {
  const idle = residentBytes(program.pids)
  const hash = createHash("sha256")
  const socket = connect(program.port, "127.0.0.1")
  socket.write("GET /api/v1/work/w/artifacts/a/content HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
  const { promise, resolve } = Promise.withResolvers<void>()
  const began = performance.now()
  const slowMs = 30_000
  let bytes = 0
  let most = 0
  let headEnd = -1
  socket.on("end", resolve)
  socket.on("data", (chunk: Buffer) => {
    let body = chunk
    if (headEnd === -1) {
      headEnd = chunk.indexOf("\r\n\r\n")
      body = chunk.subarray(headEnd + 4)
    }
    bytes += body.length
    hash.update(body)
    const elapsed = performance.now() - began
    const due = bytes / 5_000
    if (elapsed > slowMs || due <= elapsed) return
    most = Math.max(most, residentBytes(program.pids))
    socket.pause()
    setTimeout(() => socket.resume(), due - elapsed)
  })
  await promise
  const expected = createHash("sha256")
  const piece = Buffer.alloc(65_536, "download")
  for (let left = 1_073_741_824 / piece.length; left > 0; left--) expected.update(piece)
  return { bytes, isEqual: hash.digest("hex") === expected.digest("hex"), grownMb: (most - idle) / 1_048_576 }
}

const us = (value: number) => `${value.toFixed(0)} µs`
const times = (value: number, than: number) => `${(value / than).toFixed(2)}×`

try {
  const upstream = await start("upstream")
  const ours = await start("ours", upstream)
  const signedIn = await start("ours, signed in", upstream)
  const other = await start("http-proxy-3", upstream)
  const nginx = await startNginx(upstream.port)
  const contenders = [upstream, ...(nginx === undefined ? [] : [nginx]), ours, signedIn, other]
  if (process.argv.includes("--download")) {
    console.log("\nA gigabyte, at 5 MB/s for 30 s and then as fast as it comes")
    console.table(await measureDownload(ours))
  }
  for (const connections of [1, 50]) {
    const rows: Record<string, Record<string, string>> = {}
    let base: Measured | undefined
    for (const program of contenders) {
      const measured = await measureRequests([program], connections, readingWork)
      base ??= measured
      rows[program === upstream ? "upstream direct" : program.name] = {
        "requests/s": measured.perSecond.toFixed(0),
        "of direct": times(measured.perSecond, base.perSecond),
        p50: us(measured.p50),
        "p50 added": us(measured.p50 - base.p50),
        p99: us(measured.p99),
        "p99 added": us(measured.p99 - base.p99),
        "processor a request": us(measured.processor),
      }
    }
    console.log(`\n2 kB of JSON, ${connections} connection${connections === 1 ? "" : "s"}`)
    console.table(rows)
  }
  const rows: Record<string, Record<string, string | number>> = {}
  for (const viewers of [1, 100, 1_000]) {
    const kinds: [string, Program, boolean][] = [
      ["ours, shared", ours, true],
      ["ours, a Work each", ours, false],
      ["http-proxy-3", other, true],
      ...(nginx === undefined ? [] : [["nginx", nginx, true] satisfies [string, Program, boolean]]),
    ]
    for (const [name, program, isShared] of kinds) {
      const measured = await measureEvents([program], upstream, viewers, (index) =>
        isShared ? `shared-${viewers}` : `work-${viewers}-${index}`,
      )
      rows[`${viewers} viewers, ${name}`] = {
        "upstream streams": measured.streams,
        p50: us(measured.p50),
        p99: us(measured.p99),
        "processor a delivery": `${measured.processor.toFixed(1)} µs`,
        "memory a viewer": `${(measured.memory / 1_024).toFixed(0)} kB`,
      }
    }
  }
  console.log("\nEvents, 40 a second")
  console.table(rows)
} finally {
  endPrograms()
}
