/** Starts the programs that a benchmark measures, each as a process of its own, and ends them. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { freePort } from "../../../src/desk/store/testing/free-port.ts"
import { childrenOf } from "./usage.ts"

const ROLES = join(import.meta.dirname, "roles.ts")
const LOOK_MS = 50

const children: ChildProcess[] = []
const folder = mkdtempSync(join(tmpdir(), "workdesk-bench-"))

export type Program = {
  readonly name: string
  readonly port: number
  readonly pids: readonly number[]
  /** Of a desk with sign-in: somebody who has signed in. */
  readonly session?: { readonly cookie: string; readonly person: string }
}

/** The programs that share a load. */
export type Programs = readonly [Program, ...Program[]]

/** Starts a program of roles.ts. */
export async function start(
  role: string,
  upstream?: Program,
  environment: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const upstreamUrl = upstream === undefined ? "" : `http://127.0.0.1:${upstream.port}`
  const child = spawn(process.execPath, [ROLES, role, upstreamUrl], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...environment },
  })
  children.push(child)
  const [line]: unknown[] = await once(child.stdout, "data")
  // The desk's log is read, so that the desk never waits for a full pipe.
  child.stdout.resume()
  const [port, cookie, person] = String(line).trim().split(" ")
  const session = cookie === undefined || person === undefined ? {} : { session: { cookie, person } }
  return { name: role, port: Number(port), pids: [child.pid ?? 0], ...session }
}

/** Undefined where nginx is not installed. */
export async function startNginx(upstream: Program): Promise<Program | undefined> {
  const path = spawnSync("sh", ["-c", "PATH=$PATH:/usr/sbin command -v nginx"]).stdout.toString().trim()
  if (path === "") return undefined
  const port = await freePort()
  const configuration = join(folder, "nginx.conf")
  writeFileSync(
    configuration,
    `daemon off; worker_processes 1; error_log stderr crit; pid ${folder}/nginx.pid;
     events { worker_connections 4096; }
     http { access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder}; uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
       upstream up { server 127.0.0.1:${upstream.port}; keepalive 1024; }
       server { listen 127.0.0.1:${port}; keepalive_requests 100000000;
         location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;
           proxy_set_header Authorization "Bearer bench-token-of-some-length"; } } }`,
  )
  const child = spawn(path, ["-c", configuration], { stdio: "inherit" })
  children.push(child)
  let workers: number[] = []
  while (workers.length === 0) {
    await pause(LOOK_MS)
    workers = childrenOf(child.pid ?? 0)
  }
  return { name: "nginx", port, pids: workers }
}

/** Ends all programs, and returns when they have ended. */
export async function endPrograms(): Promise<void> {
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
  await Promise.all(
    running.map((child) => {
      const ended = once(child, "exit")
      child.kill()
      return ended
    }),
  )
  rmSync(folder, { recursive: true, force: true })
}
