/**
 * Runs the commands of docs/install.md in order and compares their output with the document. Only addresses, paths and secrets are replaced.
 * Docker isn't run. The other tests of this folder run systemd, and each proxy.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { text } from "node:stream/consumers"
import { basename, join } from "node:path"
import { afterAll, expect, it, onTestFinished } from "vitest"
import { startNginxServer } from "../src/commands/testing/good-desk.ts"
import { startIdentityProvider } from "../src/demo/identity-provider.ts"
import { freePort } from "../src/desk/store/testing/free-port.ts"
import { PostgresServer } from "../src/desk/store/testing/postgres.ts"
import { ALICE, serviceForTest } from "../src/service/testing/test-service.ts"
import { PersonClient } from "./testing/person.ts"
import { findMissing } from "./testing/programs.ts"

const ROOT = join(import.meta.dirname, "..")
const NEEDED = {
  nginx: "nginx-light",
  haproxy: "haproxy",
  openssl: "openssl",
  psql: "postgresql-client",
  script: "bsdutils",
}
/** Commands that need the daemons of Docker or systemd. */
const OTHER_DAEMONS = /^(?:docker |useradd |cp \S+ \/etc\/systemd\/|desk\(\) \{ (?:docker|systemd-run) )/
/** The files of a checkout, without its packages and its build. */
const CHECKOUT = [
  "package.json",
  "package-lock.json",
  ".npmrc",
  "index.html",
  "vite.config.ts",
  "tsconfig.json",
  "tsconfig.base.json",
]
const FOLDERS = ["src", "docs", "deploy", "public"]

const root = mkdtempSync(join(tmpdir(), "workdesk-install-"))
// The folder holds two installs, which a busy disk removes slowly.
afterAll(() => rmSync(root, { recursive: true, force: true }), 120_000)

type Block = { readonly language: string; readonly text: string }

function readBlocks(): readonly Block[] {
  const document = readFileSync(join(ROOT, "docs/install.md"), "utf8")
  return [...document.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = "", text = ""]) => ({ language, text }))
}

/**
 * Turns the expected text into a pattern: `…` stands for any text within a line, or alone on a line for any lines. Columns may be wider, or separated
 * by tabs.
 */
function toPattern(expected: string): RegExp {
  const escape = (part: string) => RegExp.escape(part).replaceAll(/(?:\\x20){2,}/g, "[ \\t]+")
  const patterns = expected
    .trimEnd()
    .split("\n")
    .map((line) => (line === "…" ? "(?:.*\\n)*?" : `${line.split("…").map(escape).join(".*")}\\n`))
  return new RegExp(`^${patterns.join("")}`)
}

it.skipIf(findMissing(NEEDED).length > 0)(
  "docs/install.md leads from an empty folder to an approval by a signed-in person",
  async () => {
    const began = performance.now()
    const folder = mkdtempSync(join(root, "attempt-"))
    const [etc, opt, tls, checkout] = ["etc", "opt", "tls", "checkout"].map((name) => join(folder, name))
    if (etc === undefined || opt === undefined || tls === undefined || checkout === undefined) return
    for (const path of [tls, checkout]) mkdirSync(path)
    for (const name of CHECKOUT) cpSync(join(ROOT, name), join(checkout, name))
    const isSource = (path: string) => !["node_modules", "released"].includes(basename(path))
    for (const name of FOLDERS) cpSync(join(ROOT, name), join(checkout, name), { recursive: true, filter: isSource })

    const service = await serviceForTest()
    const [port, front] = [await freePort(), await freePort()]
    const publicUrl = `https://localhost:${front}`
    const provider = await startIdentityProvider({ publicUrl, port: 0 })
    onTestFinished(() => provider.stop())
    const postgres = await PostgresServer.start()
    onTestFinished(() => postgres.stop())
    const admin = new URL(await postgres.newDatabase())
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    const files = ["-keyout", join(tls, "desk.key"), "-out", join(tls, "desk.crt")]
    spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...files, ...subject])
    const certificate = readFileSync(join(tls, "desk.crt"), "utf8")
    // npm may need the machine's own authorities.
    const known = process.env["NODE_EXTRA_CA_CERTS"]
    writeFileSync(join(tls, "authorities.pem"), certificate + (known === undefined ? "" : readFileSync(known, "utf8")))
    writeFileSync(join(tls, "desk.pem"), certificate + readFileSync(join(tls, "desk.key"), "utf8"))

    let person = "PERSON"
    const fill = (text: string) =>
      text
        .replaceAll("/etc/workdesk", etc)
        .replaceAll("/opt/workdesk", opt)
        .replaceAll("/usr/bin/node", process.execPath)
        .replaceAll(/\/etc\/(?:nginx|haproxy)\/tls/g, tls)
        .replace("'TOKEN'", `'${ALICE}'`)
        .replace("'SECRET'", `'${provider.clientSecret}'`)
        .replaceAll("https://work.example", service.url)
        .replaceAll("https://login.example/realms/staff", provider.issuer)
        .replaceAll("https://desk.example", publicUrl)
        .replaceAll(/\b4400\b/g, String(port))
        .replace("listen 443 ssl", `listen 127.0.0.1:${front} ssl`)
        .replace("bind :443", `bind 127.0.0.1:${front}`)
        .replace(/^psql /m, `psql -q ${admin.href} `)
        .replace("db.example:5432", admin.host)
        .replaceAll(/\bPERSON\b/g, person)
    const environment = {
      ...process.env,
      PORT: String(port),
      DATA_DIR: join(folder, "data"),
      NODE_EXTRA_CA_CERTS: join(tls, "authorities.pem"),
    }
    let functions = ""
    let cwd = checkout
    let running: ChildProcess | undefined
    const stop = async () => {
      if (running?.pid === undefined || running.exitCode !== null) return
      const ended = once(running, "exit")
      // The desk is a grandchild, below `script` and the shell, so the signal goes to the whole group.
      process.kill(-running.pid, "SIGTERM")
      await ended
    }
    onTestFinished(stop)

    /** Starts the desk on a terminal and waits for its output. It runs until the next step. */
    const startDesk = async (command: string, pattern: RegExp) => {
      const file = join(folder, "start.sh")
      writeFileSync(file, `${fill(functions)}\n${command}\n`)
      running = spawn("script", ["-qefc", `bash ${file}`, "/dev/null"], {
        cwd: checkout,
        env: environment,
        detached: true,
        stdio: ["ignore", "pipe", "inherit"],
      })
      let output = ""
      running.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString().replaceAll("\r", "")))
      // Lines of the log may come first.
      await expect.poll(() => output, { timeout: 120_000 }).toMatch(new RegExp(pattern.source, "m"))
    }

    const blocks = readBlocks()
    const client = new PersonClient(publicUrl, certificate)
    onTestFinished(() => client.close())
    const ran = new Set<string>()
    let steps = 0
    for (const [index, { language, text: written }] of blocks.entries()) {
      const next = blocks[index + 1]
      const expected = next?.language === "text" ? toPattern(fill(next.text)) : undefined
      if (language === "nginx") await startNginxServer(front, fill(written))
      if (language === "haproxy") expect(checkHaproxy(fill(written), folder)).toBe("")
      if (language !== "sh") continue
      const commands = written.split("\n").filter((line) => !OTHER_DAEMONS.test(line))
      functions = commands.find((line) => line.startsWith("desk() {")) ?? functions
      const script = fill(commands.join("\n"))
      // Each way of installing begins in the checkout.
      if (commands[0] === "npm ci") cwd = checkout
      // The checkout is installed and built only once.
      const isDone = commands[0] === "npm ci" && commands.every((line) => ran.has(line) || line.startsWith("desk() {"))
      for (const line of commands) ran.add(line)
      if (script.trim() === "" || isDone) continue
      steps += 1
      if (script.trim() === "desk src/server.ts" && expected !== undefined) {
        await startDesk(script, expected)
        if (next?.text.includes("https://desk.example") !== true) await stop()
        else person = await approveAsAda(client, service)
        continue
      }
      const isLast = index === blocks.findLastIndex((block) => block.language === "sh")
      if (isLast) await stop()
      const { code, stdout, stderr } = await runShell(`${fill(functions)}\n${script}`, { cwd, env: environment })
      // A later block goes on in the same shell.
      cwd = /^cd (\S+)$/m.exec(script)?.[1] ?? cwd
      expect(code, `${script}\n${stdout}\n${stderr}`).toBe(0)
      if (expected !== undefined) expect(stdout).toMatch(toPattern(fill(next?.text ?? "")))
    }
    expect(steps).toBeGreaterThan(9)
    console.log(`docs/install.md: ${steps} steps in ${((performance.now() - began) / 1_000).toFixed(0)} s`)
  },
  600_000,
)

/** Runs commands until one fails. Doesn't block, because the service and the provider run in this process. */
async function runShell(script: string, options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }) {
  const child = spawn("bash", ["-ec", script], { ...options, stdio: ["ignore", "pipe", "pipe"] })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  return { code: Number(code), stdout, stderr }
}

/** Signs in through the proxy and approves the pending approval. @returns the person's id */
async function approveAsAda(
  client: PersonClient,
  service: Awaited<ReturnType<typeof serviceForTest>>,
): Promise<string> {
  const work = await service.work({ objective: "Send it to a@bank.example" })
  await service.answer(work)
  const approval = await service.first(work, "approvals?status=pending")
  await client.signIn("ada")
  const path = `/api/v1/work/${work}/approvals/${approval}/resolve`
  const decided = await client.mutate(path, { decision: "approve" }, undefined, { "if-match": '"1"' })
  expect(decided.status, decided.text).toBe(200)
  const { person } = await client.json<{ readonly person: { readonly id: string } }>("/desk/session")
  return person.id
}

/** HAProxy's complaints about a configuration. Empty if there are none. */
function checkHaproxy(text: string, folder: string): string {
  const path = join(folder, "haproxy.cfg")
  writeFileSync(path, text)
  const { status, stderr } = spawnSync("haproxy", ["-c", "-f", path], { encoding: "utf8" })
  return status === 0 ? "" : stderr
}
