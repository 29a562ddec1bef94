import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { ConfigurationError } from "./configuration-error.ts"
import { parseSecret, RereadFiles } from "./reread-files.ts"

test.skipIf(process.platform === "win32")("a pipe is refused at the start, because it cannot be read again", () => {
  const folder = mkdtempSync(join(tmpdir(), "workdesk-"))
  const path = join(folder, "pipe")
  execFileSync("mkfifo", [path])
  const writer = spawn("sh", ["-c", 'echo secret > "$0"', path])
  const files = new RereadFiles()
  onTestFinished(() => {
    files.stop()
    writer.kill()
    rmSync(folder, { recursive: true })
  })
  const follow = () => files.follow("WORK_API_TOKEN_FILE", path, parseSecret)
  expect(follow).toThrow(ConfigurationError)
  expect(follow).toThrow("WORK_API_TOKEN_FILE names a pipe")
})
