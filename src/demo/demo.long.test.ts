import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { folderForTest } from "../service/testing/test-service.ts"

const DEMO = join(import.meta.dirname, "../commands/demo.ts")

test("`npm run demo -- --fresh` removes the demonstration's data, also when they are damaged, and fills the folder again", async () => {
  const folder = await folderForTest()
  const database = join(folder, "demo/service/service.db")
  await mkdir(join(folder, "demo/service"), { recursive: true })
  for (const path of ["demo/demonstration", "demo/filled", "demo/service/old"]) await writeFile(join(folder, path), "")
  await writeFile(database, "damaged")
  const environment = { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"], DATA_DIR: folder, PORT: "0" }
  const demo = spawn(process.execPath, [DEMO, "--fresh"], { env: environment })
  onTestFinished(() => void demo.kill("SIGKILL"))
  let text = ""
  demo.stdout.on("data", (piece) => (text += String(piece)))
  await expect.poll(() => text, { timeout: 90_000 }).toMatch(/Filled .* with \d+ pieces of Work/)
  demo.kill("SIGTERM")
  await once(demo, "close")
  expect(existsSync(join(folder, "demo/service/old"))).toBe(false)
  expect(existsSync(join(folder, "demo/filled"))).toBe(true)
}, 120_000)
