import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import packageFile from "../../package.json" with { type: "json" }
import { nodeFault } from "./node-version.mjs"

/** A checkout whose build is the given command, with nothing to install. */
function checkout(build: string): string {
  const root = mkdtempSync(join(tmpdir(), "workdesk-prepare-"))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, "src", "commands"), { recursive: true })
  mkdirSync(join(root, "node_modules"))
  writeFileSync(join(root, "package.json"), JSON.stringify({ type: "module", scripts: { build } }))
  for (const lock of ["package-lock.json", "node_modules/.package-lock.json"]) {
    writeFileSync(join(root, lock), '{"packages":{}}')
  }
  for (const name of ["prepare.mjs", "node-version.mjs"]) {
    cpSync(join(import.meta.dirname, name), join(root, "src", "commands", name))
  }
  return root
}

const prepare = (root: string, node = process.execPath) =>
  spawnSync(node, [join(root, "src", "commands", "prepare.mjs"), "--build"], { encoding: "utf8" })

const checkNode = (node: string) =>
  spawnSync(node, [join(import.meta.dirname, "node-version.mjs")], { encoding: "utf8" })

it("prints one line for each step, and not the output of npm", () => {
  const { status, stdout, stderr } = prepare(checkout(`node -e "for (let n = 0; n < 90; n++) console.log('output')"`))
  expect([status, stdout, stderr]).toEqual([0, "", "workdesk: building the app (npm run build)\n"])
})

it("prints the output of npm when a step fails", () => {
  const { status, stderr } = prepare(checkout(`node -e "console.error('disk full'); process.exit(3)"`))
  expect(status).toBe(1)
  expect(stderr).toMatch(/^workdesk: building[^\n]*\n[^]*disk full[^]*workdesk: npm run failed\n$/)
})

it("installs what the lock file names, from its own copy of a package, and nothing that is there", () => {
  const root = checkout("node -e 0")
  const folder = join(root, "greeting")
  mkdirSync(folder)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "greeting", version: "1.0.0" }))
  const npm = (cwd: string, ...args: readonly string[]) => spawnSync("npm", args, { cwd, encoding: "utf8" })
  expect(npm(root, "pack", "./greeting").status).toBe(0)
  const dependencies = { greeting: "file:greeting-1.0.0.tgz" }
  writeFileSync(
    join(root, "package.json"),
    JSON.stringify({ type: "module", scripts: { build: "true" }, dependencies }),
  )
  rmSync(join(root, "package-lock.json"))
  rmSync(join(root, "node_modules"), { recursive: true })
  expect(npm(root, "install", "--package-lock-only", "--offline", "--no-audit").status).toBe(0)
  const installed = "workdesk: installing what package-lock.json names (npm ci)\n"
  expect(prepare(root).stderr).toContain(installed)
  expect(readFileSync(join(root, "node_modules/greeting/package.json"), "utf8")).toContain("1.0.0")
  expect(prepare(root).stderr).not.toContain(installed)
})

it("installs and builds nothing in a production install, which has no development packages", () => {
  const root = checkout("node -e 'process.exit(1)'")
  const used = { "node_modules/used": { version: "1.0.0" } }
  const tool = { "node_modules/tool": { version: "1.0.0", dev: true } }
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: { ...used, ...tool } }))
  writeFileSync(join(root, "node_modules/.package-lock.json"), JSON.stringify({ packages: used }))
  const { status, stdout, stderr } = prepare(root)
  expect([status, stdout, stderr]).toEqual([0, "", ""])
})

/** A production install without packages. */
function productionInstall(): string {
  const root = checkout("node -e 'process.exit(1)'")
  const tool = { "node_modules/tool": { version: "1.0.0", dev: true } }
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: tool }))
  return root
}

it("names the missing lock file of a production install", () => {
  const root = productionInstall()
  rmSync(join(root, "package-lock.json"))
  const { status, stdout, stderr } = prepare(root)
  expect([status, stdout]).toEqual([1, ""])
  expect(stderr).toMatch(/^workdesk: package-lock.json is missing: copy it beside package.json[^\n]*\n$/)
})

it("names the Node versions that are too old", () => {
  expect(nodeFault("20.19.0")).toBe("Node 20.19.0 is too old: install Node 24 or newer")
  expect(nodeFault("23.11.1")).toBe("Node 23.11.1 is too old: install Node 24 or newer")
  expect(nodeFault("24.0.0")).toBeUndefined()
  expect(nodeFault("26.10.0")).toBeUndefined()
})

const systemNode = "/usr/bin/node"
const systemVersion = existsSync(systemNode)
  ? spawnSync(systemNode, ["--version"], { encoding: "utf8" }).stdout.slice(1).trim()
  : "99"

it.skipIf(nodeFault(systemVersion) === undefined)("an old Node prints one line and fails", () => {
  const line = `workdesk: Node ${systemVersion} is too old: install Node 24 or newer\n`
  const { status, stdout, stderr } = prepare(productionInstall(), systemNode)
  expect([status, stdout, stderr]).toEqual([1, "", line])
  const checked = checkNode(systemNode)
  expect([checked.status, checked.stdout, checked.stderr]).toEqual([1, "", line])
})

it("the first step of docs/install.md says that this Node can run Workdesk", () => {
  const { status, stdout, stderr } = checkNode(process.execPath)
  expect([status, stdout, stderr]).toEqual([0, `Node ${process.versions.node} can run Workdesk\n`, ""])
})

it("is the first step of each command, and of the systemd unit", () => {
  const scripts: Readonly<Record<string, string>> = packageFile.scripts
  const commands = Object.entries(scripts).filter(
    ([name, script]) => !name.startsWith("pre") && /^node src\/(?:server|commands)/.test(script),
  )
  expect(commands.length).toBeGreaterThan(8)
  for (const [name] of commands.filter(([name]) => name !== "pictures"))
    expect(scripts[`pre${name}`]).toMatch(/prepare\.mjs/)
  const unit = readFileSync(join(import.meta.dirname, "../../deploy/workdesk.service"), "utf8")
  expect(unit).toMatch(/^ExecStartPre=\S+node src\/commands\/prepare\.mjs$/m)
})
