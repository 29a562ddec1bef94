/** Starts what `proxy.bench.ts` compares, and reads what each process has used (Linux). */
import { spawn, spawnSync, type ChildProcess } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../../src/people/testing/free-port.ts"

const PAGE_BYTES = 4_096
const programs = join(import.meta.dirname, "proxy-programs.ts")
const children: ChildProcess[] = []
const folder = mkdtempSync(join(tmpdir(), "workdesk-bench-"))

export type Contender = {
  readonly name: string
  readonly port: number
  readonly pids: readonly number[]
  /** Of a desk with sign-in. */
  readonly cookie?: string
}

/** Starts a program of proxy-programs.ts. */
export async function start(name: string, upstreamUrl = ""): Promise<Contender> {
  const child = spawn(process.execPath, [programs, name, upstreamUrl], { stdio: ["ignore", "pipe", "inherit"] })
  children.push(child)
  const { promise, resolve } = Promise.withResolvers<string>()
  child.stdout.once("data", (line: Buffer) => resolve(line.toString().trim()))
  const [port, cookie] = (await promise).split(" ")
  // The desk's log is read, so that the desk never waits for a full pipe.
  child.stdout.resume()
  return { name, port: Number(port), pids: [child.pid ?? 0], ...(cookie === undefined ? {} : { cookie }) }
}

/** Undefined where nginx is not installed. */
export async function startNginx(upstreamPort: number): Promise<Contender | undefined> {
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
  const workers = () =>
    spawnSync("pgrep", ["-P", String(child.pid)])
      .stdout.toString()
      .trim()
  await until(() => workers() !== "")
  return { name: "nginx", port, pids: workers().split("\n").map(Number) }
}

export async function stopAll(): Promise<void> {
  for (const child of children) child.kill()
  await until(() => children.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null))
  rmSync(folder, { recursive: true, force: true })
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(50)
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Processor time of all threads so far, in microseconds. */
export function processorTime({ pids }: Contender): number {
  return pids.reduce((sum, pid) => {
    const threads = readdirSync(`/proc/${pid}/task`)
    return sum + threads.reduce((ofThreads, thread) => ofThreads + timeOf(`/proc/${pid}/task/${thread}`), 0)
  }, 0)
}

/** The scheduler counts nanoseconds; `stat` counts hundredths of a second. */
function timeOf(task: string): number {
  return Number(readFileSync(`${task}/schedstat`, "utf8").split(" ")[0]) / 1_000
}

export function residentBytes({ pids }: Contender): number {
  return pids.reduce(
    (sum, pid) => sum + Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE_BYTES,
    0,
  )
}

/** The value below which this part of the values lies. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
