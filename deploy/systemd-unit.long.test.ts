/**
 * Runs workdesk.service under a real systemd: in a container of systemd-nspawn whose files are this machine's, with what is written there kept in
 * memory. Skipped where no such container can be started.
 */
import { spawn, spawnSync } from "node:child_process"
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { expect, it, onTestFinished } from "vitest"
import { nodeFault } from "../src/commands/node-version.mjs"
import { freePort } from "../src/desk/store/testing/free-port.ts"
import { findMissing } from "./testing/programs.ts"

const ROOT = join(import.meta.dirname, "..")
const MANUAL = readFileSync(join(ROOT, "docs/install.md"), "utf8")
/** The Node of the operating system. Workdesk must say that it is too old. */
const SYSTEM_NODE = "/usr/bin/node"

const canRun =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  existsSync("/sys/fs/cgroup") &&
  findMissing({ "systemd-nspawn": "systemd-container", nsenter: "util-linux", mount: "mount" }).length === 0

const BOOT_MS = 60_000
const RETRY_MS = 50

type Ran = { readonly status: number | null; readonly output: string }

/** Runs a program to its end. */
function run(program: string, args: readonly string[]): Ran {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: 60_000 })
  return { status, output: stdout + stderr }
}

/** Boots systemd. @returns a function that runs a script there; undefined if this machine can't have such a container */
async function bootSystemd(prepare: (root: string) => void): Promise<((script: string) => Ran) | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "workdesk-systemd-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }), 60_000)
  if (run("mount", ["-t", "tmpfs", "tmpfs", folder]).status !== 0) return undefined
  onTestFinished(() => void run("umount", ["-l", folder]))
  const [upper, work, root] = ["upper", "work", "root"].map((name) => join(folder, name))
  if (upper === undefined || work === undefined || root === undefined) return undefined
  for (const path of [upper, work, root]) mkdirSync(path)
  const layers = `lowerdir=/,upperdir=${upper},workdir=${work}`
  if (run("mount", ["-t", "overlay", "overlay", "-o", layers, root]).status !== 0) return undefined
  onTestFinished(() => void run("umount", ["-l", root]))
  // The services of this machine aren't started a second time.
  run("bash", ["-c", `rm -rf ${root}/etc/systemd/system/*.wants`])
  prepare(root)

  const options = ["-q", "-D", root, "-M", basename(folder), "--register=no", "--keep-unit", "--resolv-conf=off"]
  const container = spawn("systemd-nspawn", [...options, "--link-journal=no", "-b", "systemd.unit=multi-user.target"], {
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  for (const stream of [container.stdout, container.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  onTestFinished(() => void container.kill("SIGKILL"))
  const deadline = performance.now() + BOOT_MS
  while (!output.includes("Reached target") || !output.includes("Multi-User System")) {
    if (container.exitCode !== null || performance.now() > deadline) {
      console.warn(`SKIPPED, because systemd-nspawn can't boot here: ${output}`)
      return undefined
    }
    await delay(RETRY_MS)
  }
  const leader = run("pgrep", ["-P", String(container.pid)]).output.trim()
  const spaces = ["-t", leader, "-m", "-p", "-u", "-i", "-C"]
  return (script) => run("nsenter", [...spaces, "bash", "-lc", script])
}

type Lock = { readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly link?: boolean }>> }

/** Copies the packages that `npm ci --omit=dev` would install. */
function installPackages(to: string): void {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as Lock
  const used = Object.entries(packages).filter(
    ([path, { dev, link }]) =>
      dev !== true && link !== true && path.startsWith("node_modules/") && existsSync(join(ROOT, path)),
  )
  for (const [path] of used) cpSync(join(ROOT, path), join(to, path), { recursive: true })
  writeFileSync(join(to, "node_modules/.package-lock.json"), JSON.stringify({ packages: Object.fromEntries(used) }))
}

it.runIf(canRun)(
  "workdesk.service runs the desk, the shell function of docs/install.md its commands, and an old Node is named",
  async () => {
    const port = await freePort()
    const shell = await bootSystemd((root) => {
      for (const name of ["workdesk", "systemd/system"]) mkdirSync(join(root, "etc", name), { recursive: true })
      copyFileSync(join(import.meta.dirname, "workdesk.service"), join(root, "etc/systemd/system/workdesk.service"))
      writeFileSync(join(root, "etc/workdesk/environment"), `PORT=${port}\n`)
      const opt = join(root, "opt/workdesk")
      mkdirSync(opt, { recursive: true })
      for (const name of ["package.json", "package-lock.json", "src", "deploy"])
        cpSync(join(ROOT, name), join(opt, name), { recursive: true })
      installPackages(opt)
      rmSync(join(root, "usr/bin/node"), { force: true })
      copyFileSync(process.execPath, join(root, "usr/bin/node"))
      if (existsSync(SYSTEM_NODE)) copyFileSync(SYSTEM_NODE, join(root, "usr/bin/old-node"))
    })
    if (shell === undefined) return
    // As in docs/install.md.
    const desk = /^desk\(\) \{ systemd-run .*$/m.exec(MANUAL)?.[0] ?? ""
    const user = /^useradd .*$/m.exec(MANUAL)?.[0] ?? ""
    expect(shell(user)).toEqual({ status: 0, output: "" })
    const check = shell(`${desk}\ndesk src/server.ts --check`)
    expect(check.output).toMatch(/^good {2}data folder {7}DATA_DIR is writable$/m)
    expect(check.output).toMatch(/^good {2}port {14}HOST and PORT are free$/m)

    expect(shell("systemctl start workdesk").status).toBe(0)
    const health = () => fetch(`http://127.0.0.1:${port}/desk/health`).then((answer) => answer.text(), String)
    await expect.poll(health, { timeout: 30_000 }).toBe("ok")
    expect(shell(`${desk}\ndesk src/commands/record.ts verify`).status).toBe(0)
    expect(shell("systemctl stop workdesk").status).toBe(0)
    const log = shell("journalctl -u workdesk --no-pager -o cat").output
    expect(log).toContain(`"message":"Workdesk is at http://127.0.0.1:${port}"`)
    expect(log).toContain("workdesk.service: Deactivated successfully.")

    const version = run(SYSTEM_NODE, ["--version"]).output.slice(1).trim()
    if (nodeFault(version) === undefined) return
    shell("mv /usr/bin/old-node /usr/bin/node; systemctl start workdesk")
    expect(shell("journalctl -u workdesk --no-pager -o cat -n 20").output).toContain(
      `workdesk: ${nodeFault(version) ?? ""}`,
    )
  },
  240_000,
)
