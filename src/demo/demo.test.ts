import { existsSync, readdirSync, readFileSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { newKey, textOf } from "../service/testing/client.ts"
import { serviceForTest, folderForTest } from "../service/testing/test-service.ts"
import { runCommand } from "../commands/testing/run-command.ts"
import { layOutFilesToTry } from "./files-to-try.ts"
import { stories } from "./stories.ts"
import type { Story } from "./stories/story.ts"

const INPUTS = join(import.meta.dirname, "inputs")

test("the input files of every story are there, every file is an input of a story, and SOURCES.md names their sources", () => {
  const named = new Set(stories.flatMap(({ inputs = [] }) => inputs))
  for (const name of named) expect(existsSync(join(INPUTS, name)), name).toBe(true)
  const files = readdirSync(INPUTS).filter((name) => name !== "SOURCES.md")
  expect(files.filter((name) => !named.has(name))).toEqual([])
  const sources = readFileSync(join(INPUTS, "SOURCES.md"), "utf8")
  for (const name of ["penguins.json", "seattle-weather.csv"]) expect(sources).toContain(name)
  expect(sources).toContain("all others")
})

test("there are about forty stories, with every priority, visibility and colleague", () => {
  expect(stories.length).toBeGreaterThanOrEqual(38)
  const valuesOf = (read: (story: Story) => unknown) => new Set(stories.map(read))
  expect(valuesOf(({ colleague_id }) => colleague_id)).toEqual(new Set(["analyst", "editor", "metronome"]))
  expect(valuesOf(({ priority }) => priority)).toEqual(new Set([undefined, "low", "high", "urgent"]))
  expect(valuesOf(({ visibility_scope }) => visibility_scope)).toEqual(
    new Set([undefined, "private", "team", "organization"]),
  )
})

test("each file to try ends in the state that it demonstrates", async () => {
  const folder = await folderForTest()
  layOutFilesToTry(folder)
  const service = await serviceForTest()
  const upload = (name: string) => {
    const content = readFileSync(join(folder, name), "utf8")
    const media_type = name.endsWith(".csv") ? "text/csv" : "text/plain"
    return service.post("/api/v1/uploads", { name, media_type, content })
  }
  const eicar = await upload("eicar.txt")
  expect(eicar.body).toMatchObject({
    status: "failed",
    processing_state: "quarantined",
    failure_code: "malware_detected",
  })
  const stale = await upload("stale-signatures.csv")
  expect(stale.body).toMatchObject({
    status: "failed",
    processing_state: "scan_failed",
    failure_code: "stale_signatures",
    retryable: true,
  })
  const retried = await service.post(`/api/v1/uploads/${textOf(stale.body, "id")}/processing/retry`, undefined, {
    key: newKey(),
  })
  expect(retried.status).toBe(202)
  expect((await service.get(`/api/v1/uploads/${textOf(stale.body, "id")}`)).body).toMatchObject({ status: "ready" })
  expect((await upload("slow-scan.csv")).body).toMatchObject({ status: "processing" })
  expect((await upload("blocked.txt")).status).toBe(422)
  expect((await upload("one-byte-too-many.txt")).status).toBe(400)
  expect((await upload("largest.txt")).body).toMatchObject({ status: "ready" })
})

test.each([[], ["--fresh"]])("data that the demonstration has not made are not removed (%s)", async (...args) => {
  const folder = await folderForTest()
  await mkdir(join(folder, "demo/service"), { recursive: true })
  await writeFile(join(folder, "demo/service/service.db"), "of a person")
  const ended = await runCommand("demo", { DATA_DIR: folder, PORT: "0" }, args)
  expect(ended.code).toBe(1)
  expect(ended.stderr).toMatch(/^workdesk: DATA_DIR: [^\n]+ contains other data[^\n]+\n$/)
  expect(readFileSync(join(folder, "demo/service/service.db"), "utf8")).toBe("of a person")
})
