import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findOrInstall } from "./programs.ts"
import { freePort } from "../../src/people/testing/free-port.ts"

const DEPLOY = join(import.meta.dirname, "..")

export type Balancer = {
  /** `https://localhost:PORT` */
  readonly url: string
  /** The address without TLS. */
  readonly plainUrl: string
  /** The certificate to trust, in PEM. */
  readonly certificate: string
  stop(): Promise<void>
}

export type BalancerOptions = {
  readonly program: "nginx" | "haproxy"
  /** The ports of the two desks. */
  readonly desks: readonly [number, number]
  /** The port of TLS: PUBLIC_URL names the port before the balancer starts. */
  readonly port: number
  /** Spread requests by turns instead of by the Work's id. */
  readonly roundRobin?: boolean
}

/** Runs the configuration file of this folder as a process. Only addresses and paths of this machine are put in. */
export async function startBalancer({ program, desks, port, roundRobin = false }: BalancerOptions): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), `workdesk-${program}-`))
  const { certificate, key } = makeCertificate(folder)
  const plainPort = await freePort()
  const path = join(folder, program)
  const source = readFileSync(join(DEPLOY, program === "nginx" ? "nginx.conf" : "haproxy.cfg"), "utf8")
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
  const command =
    program === "nginx"
      ? spawn(findOrInstall("nginx", "nginx-light"), ["-c", path, "-g", "daemon off;"], { stdio: "pipe" })
      : spawn(findOrInstall("haproxy", "haproxy"), ["-f", path], { stdio: "pipe" })
  await listening(command, port)
  return {
    url: `https://localhost:${port}`,
    plainUrl: `http://localhost:${plainPort}`,
    certificate: readFileSync(certificate, "utf8"),
    async stop() {
      const ended = once(command, "exit")
      command.kill("SIGTERM")
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A certificate for `localhost` that nobody else trusts. */
function makeCertificate(folder: string): { certificate: string; key: string } {
  const certificate = join(folder, "desk.crt")
  const key = join(folder, "desk.key")
  const { status, stderr } = spawnSync(
    findOrInstall("openssl", "openssl"),
    ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"].concat([
      "-keyout",
      key,
      "-out",
      certificate,
      "-subj",
      "/CN=localhost",
      "-addext",
      "subjectAltName=DNS:localhost",
    ]),
    { encoding: "utf8" },
  )
  if (status !== 0) throw new Error(stderr)
  return { certificate, key }
}

/** Resolves when the program listens. @throws Error with what the program has said, when it ends instead */
async function listening(program: ChildProcess, port: number): Promise<void> {
  let said = ""
  program.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const deadline = performance.now() + 10_000
  for (;;) {
    if (program.exitCode !== null || performance.now() > deadline)
      throw new Error(`The balancer did not start: ${said}`)
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
