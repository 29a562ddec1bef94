import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { expect, onTestFinished, test } from "vitest"
import { ConfigurationError } from "./configuration-error.ts"
import { FileFault, parseSecret, RereadFiles } from "./reread-files.ts"

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
  expect(follow).toThrow("WORK_API_TOKEN_FILE must be a file, not a pipe")
})

test("each bad content is told once, also when its fault is the same as before", async () => {
  const folder = mkdtempSync(join(tmpdir(), "workdesk-"))
  const path = join(folder, "access.json")
  const files = new RereadFiles(10)
  onTestFinished(() => {
    files.stop()
    rmSync(folder, { recursive: true })
  })
  // A rename, because a read must not see a file that is half written.
  const replace = (content: string) => {
    writeFileSync(`${path}.new`, content)
    renameSync(`${path}.new`, path)
  }
  const told: string[] = []
  files.onFault = (sentence) => told.push(sentence)
  replace("good")
  let reads = 0
  const current = files.follow("ACCESS_FILE", path, (text) => {
    reads++
    if (text.startsWith("bad")) throw new FileFault("has a fault")
    return text
  })
  const sentence = "ACCESS_FILE has a fault: the last valid content stays in use"
  for (const [content, sentences] of [
    ["bad", 1],
    ["bad again", 2],
    ["bad", 3],
  ] as const) {
    replace(content)
    await expect.poll(() => told).toEqual(Array.from({ length: sentences }, () => sentence))
    expect(current()).toBe("good")
  }
  // No content is parsed at each read.
  expect(reads).toBe(4)
  rmSync(path)
  await expect.poll(() => told.at(-1)).toContain("can't be read")
  replace("good")
  await expect.poll(() => files.faults().get("ACCESS_FILE")).toBe(false)
  replace("better")
  await expect.poll(current).toBe("better")
  expect(told).toHaveLength(4)
})

test("a reading that a later one has overtaken doesn't bring older content back", async () => {
  const folder = mkdtempSync(join(tmpdir(), "workdesk-"))
  const path = join(folder, "access.json")
  // A reading begins every millisecond, and a long file takes longer than that.
  const files = new RereadFiles(1)
  onTestFinished(() => {
    files.stop()
    rmSync(folder, { recursive: true })
  })
  const replace = (version: number, length: number) => {
    writeFileSync(`${path}.new`, String(version).padEnd(length))
    renameSync(`${path}.new`, path)
  }
  replace(0, 0)
  const parsed: number[] = []
  const current = files.follow("ACCESS_FILE", path, (text) => {
    parsed.push(Number(text))
    return parsed.at(-1)
  })
  for (let version = 1; version <= 200; version += 2) {
    replace(version, 1_048_576)
    for (let turn = 0; turn < version % 40; turn++) await setImmediate()
    replace(version + 1, 0)
    await expect.poll(current, { interval: 1 }).toBe(version + 1)
  }
  expect(parsed).toEqual(parsed.toSorted((one, other) => one - other))
}, 30_000)
