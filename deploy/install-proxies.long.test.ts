/** Runs each proxy of docs/install.md as a process, and expects that `--check` finds no fault in what it passes on. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { goodVariables, startNginxServer, type Variables } from "../src/commands/testing/good-desk.ts"
import { runProgram } from "../src/commands/testing/run-command.ts"
import { freePort } from "../src/desk/store/testing/free-port.ts"
import { folderForTest } from "../src/desk/store/testing/stores.ts"
import { findMissing } from "./testing/programs.ts"

const MANUAL = readFileSync(join(import.meta.dirname, "../docs/install.md"), "utf8")

type Tls = { readonly folder: string; readonly certificate: string; readonly key: string }
type Proxy = {
  readonly debianPackage: string
  readonly start: (block: string, front: number, tls: Tls) => Promise<void>
}

const PROXIES: Readonly<Record<"nginx" | "haproxy" | "caddy", Proxy>> = {
  nginx: {
    debianPackage: "nginx-light",
    start: (block, front, tls) =>
      startNginxServer(
        front,
        block
          .replace("listen 443 ssl", `listen 127.0.0.1:${front} ssl`)
          .replace("/etc/nginx/tls/desk.crt", tls.certificate)
          .replace("/etc/nginx/tls/desk.key", tls.key),
      ),
  },
  haproxy: {
    debianPackage: "haproxy",
    start: async (block, front, tls) => {
      const both = join(tls.folder, "both.pem")
      writeFileSync(both, readFileSync(tls.certificate, "utf8") + readFileSync(tls.key, "utf8"))
      const path = join(tls.folder, "haproxy.cfg")
      writeFileSync(path, block.replace(":443", `127.0.0.1:${front}`).replace("/etc/haproxy/tls/desk.pem", both))
      runUntilTestEnds("haproxy", ["-db", "-f", path], tls.folder)
    },
  },
  caddy: {
    debianPackage: "caddy",
    start: async (block, front, tls) => {
      const path = join(tls.folder, "Caddyfile")
      // Caddy would ask a certificate authority for a certificate.
      const site = `https://localhost:${front} {\n  tls ${tls.certificate} ${tls.key}`
      writeFileSync(path, `{\n  admin off\n  auto_https disable_redirects\n}\n${block.replace("desk.example {", site)}`)
      runUntilTestEnds("caddy", ["run", "--config", path, "--adapter", "caddyfile"], tls.folder)
    },
  },
}

function runUntilTestEnds(program: string, args: readonly string[], folder: string): void {
  const child = spawn(program, args, { stdio: "ignore", env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder } })
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    const ended = once(child, "exit")
    child.kill("SIGTERM")
    await ended
  })
}

function makeCertificate(folder: string): Tls {
  const [certificate, key] = [join(folder, "desk.crt"), join(folder, "desk.key")]
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
  const files = ["-keyout", key, "-out", certificate]
  spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...files, ...subject])
  return { folder, certificate, key }
}

it.each(Object.entries(PROXIES))(
  "%s",
  async (name, { debianPackage, start }) => {
    if (findMissing({ [name]: debianPackage, openssl: "openssl" }).length > 0) return
    const block = new RegExp(`^\`\`\`${name}\\n(.*?)^\`\`\`$`, "ms").exec(MANUAL)?.[1] ?? ""
    const tls = makeCertificate(await folderForTest())
    const front = await freePort()
    const variables: Variables = {
      ...(await goodVariables(`https://localhost:${front}`)),
      TRUSTED_PROXIES: "127.0.0.1,::1",
      NODE_EXTRA_CA_CERTS: tls.certificate,
    }
    await start(block.replaceAll("127.0.0.1:4400", `127.0.0.1:${variables["PORT"] ?? ""}`), front, tls)
    const check = async (): Promise<string> => (await runProgram("../server.ts", variables, ["--check"])).stdout
    // The first check may come before the proxy listens.
    await expect.poll(check, { timeout: 30_000 }).toMatch(/^good {2}PUBLIC_URL .* leads to this desk$/m)
    expect(await check()).toMatch(/^good {2}proxy {13}it passes on Host, X-Forwarded-For and event streams$/m)
  },
  120_000,
)
