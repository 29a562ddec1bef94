import { spawn } from "node:child_process"
import { once } from "node:events"
import { expect, onTestFinished, test } from "vitest"

const LOG = new URL("log.ts", import.meta.url).href

/** A process that logs 400 kB every 20 ms, and writes to standard error after half a second. */
const PROGRAM = `
  const { openLog } = await import(${JSON.stringify(LOG)})
  const log = openLog("info")
  const timer = setInterval(() => { for (let line = 0; line < 400; line += 1) log.info({}, "x".repeat(1000)) }, 20)
  setTimeout(() => { clearInterval(timer); console.error("went on"); process.exit(0) }, 500)
`

test.each(["gone", "slow"])("a reader of the log that is %s does not stop the program", async (reader) => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", PROGRAM], {
    stdio: ["ignore", "pipe", "pipe"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  if (reader === "gone") child.stdout.destroy()
  else child.stdout.pause()
  const ended = once(child, "exit")
  const [said] = await once(child.stderr, "data")
  expect(String(said)).toContain("went on")
  expect((await ended)[0]).toBe(0)
})

test("every line is there when the program ends", async () => {
  const program = `
    const { openLog } = await import(${JSON.stringify(LOG)})
    const log = openLog("info")
    for (let line = 0; line < 500; line += 1) log.info({ line }, "x".repeat(1000))
    process.exit(0)
  `
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const pieces: string[] = []
  for await (const piece of child.stdout) pieces.push(String(piece))
  const lines = pieces.join("").trim().split("\n")
  expect(lines).toHaveLength(500)
  expect(JSON.parse(lines[499] ?? "")).toMatchObject({ line: 499 })
})
