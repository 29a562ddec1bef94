import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"

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
  cpSync(join(import.meta.dirname, "prepare.mjs"), join(root, "src", "commands", "prepare.mjs"))
  return root
}

const prepare = (root: string) =>
  spawnSync(process.execPath, [join(root, "src", "commands", "prepare.mjs"), "--build"], { encoding: "utf8" })

it("prints one line for each step, and not the output of npm", () => {
  const { status, stdout, stderr } = prepare(checkout(`node -e "for (let n = 0; n < 90; n++) console.log('output')"`))
  expect([status, stdout, stderr]).toEqual([0, "", "workdesk: building the app (npm run build)\n"])
})

it("prints the output of npm when a step fails", () => {
  const { status, stderr } = prepare(checkout(`node -e "console.error('disk full'); process.exit(3)"`))
  expect(status).toBe(1)
  expect(stderr).toMatch(/^workdesk: building[^\n]*\n[^]*disk full[^]*workdesk: npm run failed\n$/)
})
