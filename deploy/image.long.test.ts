import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, relative } from "node:path"
import { afterAll, expect, it } from "vitest"
import { type Instruction, readDockerfile } from "./testing/dockerfile.ts"
import { copyNpm, runDocumentedCommands } from "./testing/documented-commands.ts"
import { freePort } from "../src/desk/store/testing/free-port.ts"

const ROOT = join(import.meta.dirname, "..")
const root = mkdtempSync(join(tmpdir(), "workdesk-image-"))
const running: ChildProcess[] = []
afterAll(() => {
  for (const child of running) child.kill("SIGKILL")
  rmSync(root, { recursive: true, force: true })
  // The folder holds two installs. A busy disk needs long to remove them.
}, 120_000)

const ignored = readFileSync(join(ROOT, ".dockerignore"), "utf8").trim().split("\n")
/** Reads a line of .dockerignore as Docker does: the name is one at the root, unless the line begins with two stars. */
const isKept = (path: string) =>
  !ignored.some((line) => (line.startsWith("**/") ? basename(path) === line.slice(3) : relative(ROOT, path) === line))
/** `nobody` of Debian: another user than the one who installed. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Runs the instructions of one stage in the empty folder `to`. `earlier` holds the folders of the stages before. */
function build(instructions: readonly Instruction[], to: string, earlier: ReadonlyMap<string, string>): void {
  mkdirSync(to, { recursive: true })
  for (const instruction of instructions) {
    if (instruction.kind === "COPY") {
      const from = instruction.from === undefined ? ROOT : (earlier.get(instruction.from) ?? "")
      for (const source of instruction.sources) {
        const path = join(from, source.replace(/^\/workdesk\//, ""))
        const target = instruction.to.endsWith("/")
          ? join(to, instruction.to, basename(source))
          : join(to, instruction.to)
        cpSync(path, source.includes(".") && instruction.to === "./" ? join(to, source) : target, {
          recursive: true,
          filter: isKept,
        })
      }
    }
    if (instruction.kind === "RUN" && !instruction.command.includes("/data")) {
      const { status, stderr } = spawnSync("sh", ["-c", instruction.command], {
        cwd: to,
        encoding: "utf8",
        env: { ...process.env, npm_config_cache: join(root, "npm-cache") },
      })
      expect(status, stderr).toBe(0)
    }
  }
}

const sizeOf = (path: string): number =>
  Number(spawnSync("du", ["-sk", path], { encoding: "utf8" }).stdout.split("\t")[0]) / 1024

it("the image's steps install and start the desk for another user, with a tree that is read-only", async () => {
  const folder = mkdtempSync(join(root, "attempt-"))
  const stages = readDockerfile(readFileSync(join(import.meta.dirname, "Dockerfile"), "utf8"))
  const built = new Map<string, string>()
  let last = ""
  for (const [index, { name, instructions }] of stages.entries()) {
    last = join(folder, String(index))
    build(instructions, last, built)
    if (name !== undefined) built.set(name, last)
  }
  const final = stages.at(-1)?.instructions ?? []
  const environment: Record<string, string> = {}
  for (const each of final) if (each.kind === "ENV") Object.assign(environment, each.values)
  const command = final.flatMap((each) => (each.kind === "CMD" ? each.command : []))
  const health = final.flatMap((each) => (each.kind === "HEALTHCHECK" ? each.command : []))
  expect(final.find(({ kind }) => kind === "USER")).toMatchObject({ value: "node" })

  // Other users may have no access to the folder of the test, nor to the Node that runs the test.
  for (const each of [root, folder]) chmodSync(each, 0o755)
  const bin = join(folder, "bin")
  mkdirSync(bin)
  copyFileSync(process.execPath, join(bin, "node"))
  chmodSync(join(bin, "node"), 0o755)
  const data = join(folder, "data")
  mkdirSync(data)
  chmodSync(data, 0o777)
  spawnSync("chmod", ["-R", "a+rX,a-w", last])
  const before = readdirSync(last)

  const port = await freePort()
  // Without sign-in the desk listens on loopback alone.
  const env = {
    ...environment,
    PATH: `${bin}:/usr/bin:/bin`,
    HOME: data,
    HOST: "127.0.0.1",
    PORT: String(port),
    DATA_DIR: data,
  }
  const began = performance.now()
  const [program = "", ...rest] = command
  const child = spawn(join(bin, program), rest, { cwd: last, env, stdio: ["ignore", "pipe", "pipe"], ...NOBODY })
  running.push(child)
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  await expect
    .poll(
      () =>
        fetch(`http://127.0.0.1:${port}/desk/health`).then(
          (answer) => answer.text(),
          () => output,
        ),
      {
        timeout: 20_000,
      },
    )
    .toBe("ok")
  const seconds = (performance.now() - began) / 1000
  const page = await fetch(`http://127.0.0.1:${port}/work`, { headers: { accept: "text/html" } })
  expect(page.status).toBe(200)
  const list = await fetch(`http://127.0.0.1:${port}/api/v1/work`)
  expect(await list.json()).toEqual({ data: [] })

  const [healthProgram = "", ...healthArguments] = health
  const check = spawnSync(join(bin, healthProgram), healthArguments, { cwd: last, env, ...NOBODY })
  expect(check.status).toBe(0)

  // The commands of docs/operating.md work beside the desk and offline, and install nothing.
  writeFileSync(join(data, "access.json"), JSON.stringify({ roles: { reader: ["anyone"] } }))
  const signIn = {
    OIDC_ISSUER: "https://login.example",
    OIDC_CLIENT_ID: "desk",
    PUBLIC_URL: "https://desk.example",
    ACCESS_FILE: join(data, "access.json"),
  }
  const offline = { ...env, ...signIn, npm_config_offline: "true", npm_config_update_notifier: "false" }
  const programs = { node: join(bin, "node"), npm: copyNpm(folder) }
  const packages = readdirSync(join(last, "node_modules"))
  const runs = await runDocumentedCommands(programs, last, data, { env: offline, ...NOBODY })
  expect(runs.length).toBeGreaterThan(15)
  for (const { command, mayFail, code, output } of runs) {
    expect(mayFail ? [0, 1] : [0], `${command}: ${output}`).toContain(code)
    expect(output, command).not.toMatch(/npm ci|EACCES|EROFS|Cannot find|^ +at /m)
  }
  expect(readdirSync(join(last, "node_modules"))).toEqual(packages)
  const ended = once(child, "exit")
  child.kill("SIGTERM")
  expect(await ended).toEqual([0, null])
  expect(spawnSync(join(bin, healthProgram), healthArguments, { cwd: last, env, ...NOBODY }).status).toBe(1)
  expect(readdirSync(last)).toEqual(before)
  expect(readdirSync(dirname(data))).toContain("data")
  console.log(
    `production install: ${sizeOf(last).toFixed(0)} MB, of them ${sizeOf(join(last, "node_modules")).toFixed(0)} MB packages; serves after ${seconds.toFixed(2)} s`,
  )
}, 300_000)
