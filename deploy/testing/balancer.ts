import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findOrInstall } from "./programs.ts"
import { freePort } from "../../src/desk/store/testing/free-port.ts"

const DEPLOY = join(import.meta.dirname, "..")

export type Balancer = {
  /** `https://localhost:PORT` */
  readonly url: string
  /** The address without TLS. */
  readonly plainUrl: string
  /** The balancer's own certificate in PEM. A client has to trust it. */
  readonly certificate: string
  stop(): Promise<void>
}

export type BalancerOptions = {
  readonly program: "nginx" | "haproxy"
  /** The ports of the two desks. */
  readonly desks: readonly [number, number]
  /** The port of TLS. The caller chooses the port, because the desks need it in PUBLIC_URL before the balancer starts. */
  readonly port: number
  /** Sends requests to the desks by turns, and not by the Work's id. */
  readonly roundRobin?: boolean
  /** Other values, such as a shorter time. Each must be in the file. */
  readonly replaced?: Readonly<Record<string, string>>
}

/** Runs `deploy/nginx.conf` or `deploy/haproxy.cfg` as a process. Only addresses and paths are replaced by those of the test. */
export async function startBalancer(options: BalancerOptions): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), `workdesk-${options.program}-`))
  try {
    return await startIn(folder, options)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

async function startIn(
  folder: string,
  { program, desks, port, roundRobin = false, replaced = {} }: BalancerOptions,
): Promise<Balancer> {
  const { certificate, key } = makeCertificate(folder)
  const plainPort = await freePort()
  const path = join(folder, program)
  const given = readFileSync(join(DEPLOY, program === "nginx" ? "nginx.conf" : "haproxy.cfg"), "utf8")
  const source = Object.entries(replaced).reduce((text, [value, other]) => {
    if (!text.includes(value)) throw new Error(`The file has no ${value}`)
    return text.replace(value, other)
  }, given)
  const atDesks = desks.reduce(
    (text, desk, index) => text.replaceAll(`desk-${index + 1}:4400`, `127.0.0.1:${desk}`),
    source,
  )
  mkdirSync(join(folder, "run"))
  writeFileSync(join(folder, "desk.pem"), readFileSync(certificate, "utf8") + readFileSync(key, "utf8"))
  const configuration =
    program === "nginx"
      ? atDesks
          .replaceAll("/run/nginx", join(folder, "run"))
          .replace("/etc/nginx/tls/desk.crt", certificate)
          .replace("/etc/nginx/tls/desk.key", key)
          .replace("listen 8443", `listen 127.0.0.1:${port}`)
          .replace("listen 8080", `listen 127.0.0.1:${plainPort}`)
          .replace("hash $desk_key consistent;", roundRobin ? "" : "hash $desk_key consistent;")
      : atDesks
          .replace("/etc/haproxy/tls/desk.pem", join(folder, "desk.pem"))
          .replace("bind :8443", `bind 127.0.0.1:${port}`)
          .replace("bind :8080", `bind 127.0.0.1:${plainPort}`)
          .replace(
            "balance hash var(txn.desk_key)",
            roundRobin ? "balance roundrobin" : "balance hash var(txn.desk_key)",
          )
  writeFileSync(path, configuration)
  const child =
    program === "nginx"
      ? spawn(findOrInstall("nginx", "nginx-light"), ["-c", path, "-g", "daemon off;"], { stdio: "pipe" })
      : spawn(findOrInstall("haproxy", "haproxy"), ["-f", path], { stdio: "pipe" })
  await waitUntilListening(child, port)
  return {
    url: `https://localhost:${port}`,
    plainUrl: `http://localhost:${plainPort}`,
    certificate: readFileSync(certificate, "utf8"),
    async stop() {
      const ended = once(child, "exit")
      child.kill("SIGTERM")
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A certificate for `localhost` that nobody else trusts. */
function makeCertificate(folder: string): { certificate: string; key: string } {
  const certificate = join(folder, "desk.crt")
  const key = join(folder, "desk.key")
  const keyKind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
  const { status, stderr } = spawnSync(
    findOrInstall("openssl", "openssl"),
    ["req", "-x509", ...keyKind, "-nodes", "-days", "2", "-keyout", key, "-out", certificate, ...subject],
    { encoding: "utf8" },
  )
  if (status !== 0) throw new Error(stderr)
  return { certificate, key }
}

/** Resolves when the process listens. @throws Error with the output of a process that ends, or that does not listen within 10 s */
async function waitUntilListening(child: ChildProcess, port: number): Promise<void> {
  let output = ""
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const deadline = performance.now() + 10_000
  for (;;) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill("SIGKILL")
      throw new Error(`The balancer did not start: ${output}`)
    }
    const socket = connect(port, "127.0.0.1")
    try {
      await once(socket, "connect")
      return
    } catch {
      await new Promise((resolve) => setImmediate(resolve))
    } finally {
      socket.destroy()
    }
  }
}
