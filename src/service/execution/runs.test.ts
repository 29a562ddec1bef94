import { readFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, onTestFinished, test } from "vitest"
import { openLog } from "../../platform/log.ts"
import { listOf, open, textOf } from "../testing/client.ts"
import { TEST_COLLEAGUES } from "../testing/colleagues.ts"
import { read } from "../testing/stream-reader.ts"
import {
  ALICE,
  eventually,
  execute,
  folderForTest,
  serviceForTest,
  startTestService,
  type TestService,
} from "../testing/test-service.ts"

/** The types of all events of a Work that is done. */
async function eventsOf(service: TestService, work: string): Promise<string[]> {
  const text = await service.eventsUntilDone(work)
  return [...text.matchAll(/^event: (.*)$/gm)].map(([, type = ""]) => type)
}

describe("the runs of colleagues", () => {
  test("go on from the last step after every restart, and take no step twice", async () => {
    const dataFolder = await folderForTest()
    const start = () => startTestService({ dataFolder, registry: TEST_COLLEAGUES })
    let service = await start()
    const restart = async () => {
      await service.stop()
      service = await start()
    }
    const work = await service.work({ colleague_id: "clerk" })
    const attention = await service.first(work, "attention")
    await restart()
    expect(await service.first(work, "attention")).toBe(attention)
    await service.answer(work, "this one")
    const approval = await service.first(work, "approvals")
    await restart()
    expect(await service.first(work, "approvals")).toBe(approval)
    await service.decide(work, "approve")
    await service.until(work, "done")
    await restart()
    expect(await eventsOf(service, work)).toEqual([
      "work.created",
      "note",
      "attention.opened",
      "work.needs_you",
      "attention.resolved",
      "work.working",
      "artifact.created",
      "artifact.available",
      "approval.requested",
      "work.needs_you",
      "approval.approved",
      "work.working",
      "letter.sent",
      "work.done",
    ])
    expect(listOf((await service.get(`/api/v1/work/${work}/artifacts`)).body)).toHaveLength(1)
    const letters = await readdir(join(dataFolder, "outbox"))
    expect(letters).toHaveLength(1)
    const letter = await readFile(join(dataFolder, "outbox", letters[0] ?? ""), "utf8")
    expect(letter).toBe("To: post@example.com\nSubject: Sums and more\n\nOne\n\nTwo\n")
    const [request] = listOf((await service.get(`/api/v1/work/${work}/approvals`)).body)
    expect(letters[0]).toBe(`${textOf(request, "action_id")}.txt`)
    await service.stop()
  })

  test("publish no event again after a restart in the pause that follows", async () => {
    const dataFolder = await folderForTest()
    const first = await startTestService({ dataFolder, registry: TEST_COLLEAGUES, configuration: { pace: 10_000 } })
    const work = await first.work({ colleague_id: "clerk" })
    const reader = await read(first, work)
    await eventually(async () => expect(reader.text).toContain("event: note"))
    await first.stop()
    const second = await serviceForTest({ dataFolder, registry: TEST_COLLEAGUES })
    await second.answer(work)
    await second.decide(work, "decline")
    expect((await eventsOf(second, work)).filter((type) => type === "note")).toEqual(["note"])
  })

  test("send no declined letter", async () => {
    const dataFolder = await folderForTest()
    const service = await serviceForTest({ dataFolder, registry: TEST_COLLEAGUES })
    const work = await service.work({ colleague_id: "clerk" })
    await service.answer(work)
    await service.decide(work, "decline")
    await service.until(work, "done")
    expect(await readdir(join(dataFolder, "outbox"))).toEqual([])
  })

  test("end with the reason in the summary when a letter was not approved", async () => {
    const service = await serviceForTest({ registry: TEST_COLLEAGUES })
    const done = await service.until(await service.work({ colleague_id: "unapproved" }), "done")
    expect(textOf(done, "completion_summary")).toContain("not approved")
  })

  test.each(["swindler", "twice"])("send a letter once and only as approved: %s", async (colleague_id) => {
    const dataFolder = await folderForTest()
    const service = await serviceForTest({ dataFolder, registry: TEST_COLLEAGUES })
    const work = await service.work({ colleague_id })
    await service.decide(work, "approve")
    expect(textOf(await service.until(work, "done"), "completion_summary")).toContain("not approved")
    await service.stop()
    expect(await readdir(join(dataFolder, "outbox"))).toHaveLength(colleague_id === "twice" ? 1 : 0)
  })

  test("end Work whose colleague fails or returns without `finish`", async () => {
    const service = await serviceForTest({ registry: TEST_COLLEAGUES })
    const failed = await service.until(await service.work({ colleague_id: "failing" }), "done")
    expect(textOf(failed, "completion_summary")).toContain("out of ink")
    await service.until(await service.work({ colleague_id: "returning" }), "done")
  })

  test("go on counting after a restart with `every`", async () => {
    const dataFolder = await folderForTest()
    const first = await startTestService({ dataFolder, registry: TEST_COLLEAGUES })
    const work = await first.work({ colleague_id: "counter" })
    const counts = async (service: TestService, atLeast: number) => {
      const response = await open(service.url, "GET", `/api/v1/work/${work}/events`, { token: ALICE })
      let text = ""
      for await (const piece of response) {
        text += String(piece)
        if ([...text.matchAll(/"tick":/g)].length > atLeast) break
      }
      return [...text.matchAll(/"tick":(\d+)/g)].map(([, count]) => Number(count))
    }
    const before = (await counts(first, 30)).length
    await first.stop()
    const second = await serviceForTest({ dataFolder, registry: TEST_COLLEAGUES })
    const after = await counts(second, before + 100)
    expect(after).toEqual(after.map((_, index) => index + 1))
  })

  test("publish an event a number of times, and go on", async () => {
    const service = await serviceForTest({ registry: TEST_COLLEAGUES })
    const work = await service.work({ colleague_id: "thrice" })
    const types = await eventsOf(service, work)
    expect(types).toEqual(["work.created", "tick", "tick", "tick", "work.done"])
  })

  test("wait for a person, and other runs go on", async () => {
    const service = await serviceForTest({ registry: TEST_COLLEAGUES })
    const work = await service.work({ colleague_id: "clerk" })
    await service.first(work, "attention")
    const other = await service.work({ colleague_id: "clerk" })
    await service.answer(other)
    await eventually(async () =>
      expect(listOf((await service.get(`/api/v1/work/${other}/approvals`)).body)).toHaveLength(1),
    )
    expect((await service.get(`/api/v1/work/${work}`)).body).toMatchObject({ status: "needs_you" })
  })

  test("go on after a read that failed", async () => {
    const dataFolder = await folderForTest()
    const lines: string[] = []
    const log = openLog("error", { write: (line) => void lines.push(line) })
    const service = await serviceForTest({ dataFolder, log, registry: TEST_COLLEAGUES })
    const work = await service.work({ colleague_id: "clerk" })
    await service.answer(work)
    await service.first(work, "approvals")
    const database = new DatabaseSync(join(dataFolder, "service.db"))
    onTestFinished(() => database.close())
    database.exec("ALTER TABLE work RENAME COLUMN hold TO gone")
    await service.decide(work, "approve")
    await expect.poll(() => lines.join("")).toContain("could not continue")
    database.exec("ALTER TABLE work RENAME COLUMN gone TO hold")
    expect(textOf(await service.until(work, "done"), "completion_summary")).toBe("approved")
  })

  test.each([
    ["UPDATE step SET arguments = '{' WHERE kind = 'ask'", "Which?"],
    ["UPDATE step SET kind = 'nonsense' WHERE kind = 'publish'", "Which?"],
  ])("start with a damaged journal (%s)", async (damage, question) => {
    const dataFolder = await folderForTest()
    const first = await startTestService({ dataFolder, registry: TEST_COLLEAGUES })
    const work = await first.work({ colleague_id: "clerk" })
    await first.first(work, "attention")
    await first.stop()
    execute(dataFolder, damage)
    const second = await serviceForTest({ dataFolder, registry: TEST_COLLEAGUES })
    const [open] = listOf((await second.get(`/api/v1/work/${work}/attention`)).body)
    expect(textOf(open, "title")).toBe(question)
    await second.answer(work)
    const other = await second.work({ colleague_id: "returning" })
    await second.until(other, "done")
    await second.until(work, "needs_you")
  })

  test("that wait for a person compute nothing after a restart, so that new Work begins at once", async () => {
    const dataFolder = await folderForTest()
    const first = await startTestService({ dataFolder, registry: TEST_COLLEAGUES })
    await first.first(await first.work({ colleague_id: "ponderer" }), "attention")
    await first.stop()
    // A ponderer that computes would now be ended.
    const colleagueLimits = { processorMs: 100, memoryMb: 64 }
    const second = await serviceForTest({ dataFolder, registry: TEST_COLLEAGUES, colleagueLimits })
    await second.until(await second.work({ colleague_id: "returning" }), "done")
    await second.stop()
    const database = new DatabaseSync(join(dataFolder, "service.db"), { readOnly: true })
    onTestFinished(() => database.close())
    expect(database.prepare("SELECT * FROM event WHERE type = 'colleague.ended'").all()).toEqual([])
  })

  test("have no variable of the environment", async () => {
    const service = await serviceForTest({ registry: TEST_COLLEAGUES })
    const done = await service.until(await service.work({ colleague_id: "snoop" }), "done")
    expect(textOf(done, "completion_summary")).toBe("Variables: none")
  })
})
