import { readFile, readdir } from "node:fs/promises"
import { getPriority } from "node:os"
import { expect, test } from "vitest"
import { listOf, textOf } from "../testing/client.ts"
import { TEST_COLLEAGUES } from "../testing/colleagues.ts"
import { folderForTest, serviceForTest, startTestService, type TestService } from "../testing/test-service.ts"

const LIMITS = { processorMs: 200, memoryMb: 64 }
/** For a colleague that is to be ended. With less, a busy machine gives the thread so little time that it seems idle. */
const TIGHT = { processorMs: 400, memoryMb: 64 }
const MEMORY_FIRST = { processorMs: 20_000, memoryMb: 64 }

/** Waits for the open clarification. On a busy machine a worker thread takes long to start. */
async function questionOf(service: TestService, workId: string): Promise<unknown> {
  const read = async () => listOf((await service.get(`/api/v1/work/${workId}/attention`)).body)
  await expect.poll(read, { timeout: 40_000 }).toHaveLength(1)
  return (await read())[0]
}

test.each([
  ["spinner", "0.4 s of processor time", TIGHT],
  ["hoarder", "64 MB of memory", MEMORY_FIRST],
])(
  "a colleague that exceeds its limits (%s) is ended three times, and then the service asks the owner",
  async (colleague_id, reason, colleagueLimits) => {
    const service = await serviceForTest({ registry: TEST_COLLEAGUES, colleagueLimits })
    const work = await service.work({ colleague_id })
    const question = await questionOf(service, work)
    expect(textOf(question, "title")).toContain("failed three times")
    const { text } = await service.get(`/api/v1/work/${work}`)
    expect(text).toContain("needs_you")
    await service.answer(work, "end")
    const done = await service.until(work, "done")
    expect(textOf(done, "completion_summary")).toBe("Ended by its owner: end")
    const events = await eventTexts(service, work)
    expect(events.filter((line) => line.includes(reason))).toHaveLength(3)
  },
  60_000,
)

test("a colleague that gets little processor time is not ended, even if its step takes long", async () => {
  const service = await serviceForTest({ registry: TEST_COLLEAGUES, colleagueLimits: LIMITS })
  const work = await service.work({ colleague_id: "plodder" })
  const read = async () => textOf((await service.get(`/api/v1/work/${work}`)).body, "status")
  await expect.poll(read, { timeout: 40_000 }).not.toBe("working")
  expect(textOf(await service.until(work, "done"), "completion_summary")).toBe("Plodded through.")
  expect((await eventTexts(service, work)).filter((line) => line.includes("was stopped"))).toEqual([])
}, 60_000)

test.runIf(process.platform === "linux")(
  "the thread of a colleague has a lower priority than the main thread",
  async () => {
    const service = await serviceForTest({ registry: TEST_COLLEAGUES })
    await service.until(await service.work({ colleague_id: "returning" }), "done")
    const priorities = await threadPriorities()
    expect(priorities.main).toBe(getPriority())
    expect(priorities.others).toContain(Math.min(priorities.main + 5, 19))
  },
)

test("while colleagues exceed their limits, requests are answered and other colleagues finish", async () => {
  const service = await serviceForTest({ registry: TEST_COLLEAGUES, colleagueLimits: LIMITS })
  // One more than there are threads.
  const spinners = await Promise.all(Array.from({ length: 3 }, () => service.work({ colleague_id: "spinner" })))
  const other = await service.work({ colleague_id: "returning" })
  await service.until(other, "done")
  for (const spinner of spinners) await questionOf(service, spinner)
}, 60_000)

test("a Work whose owner is asked by the service does not run after a restart, and goes on after an answer without `end`", async () => {
  const dataFolder = await folderForTest()
  const settings = { dataFolder, registry: TEST_COLLEAGUES, colleagueLimits: TIGHT }
  const first = await startTestService(settings)
  const work = await first.work({ colleague_id: "spinner" })
  const question = textOf(await questionOf(first, work), "id")
  await first.stop()
  const second = await serviceForTest(settings)
  // Three more colleagues than there are threads run after any that the start would have begun.
  for (const id of await Promise.all([1, 2, 3].map(() => second.work({ colleague_id: "returning" }))))
    await second.until(id, "done")
  const asked = listOf((await second.get(`/api/v1/work/${work}/attention`)).body)
  expect(asked.map((item) => textOf(item, "id"))).toEqual([question])
  await second.answer(work, "Try again")
  await expect.poll(async () => textOf(await questionOf(second, work), "id"), { timeout: 40_000 }).not.toBe(question)
  await second.answer(work, "Please end")
  await second.until(work, "done")
  const events = await eventTexts(second, work)
  expect(events.filter((line) => line.includes("was stopped"))).toHaveLength(6)
}, 60_000)

/** The `nice` values of this process's threads (proc_pid_stat(5): the 17th field after the name). */
async function threadPriorities(): Promise<{ readonly main: number; readonly others: readonly number[] }> {
  const niceOf = async (thread: string) => {
    const stat = await readFile(`/proc/self/task/${thread}/stat`, "utf8")
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16])
  }
  const threads = (await readdir("/proc/self/task")).filter((thread) => thread !== String(process.pid))
  return { main: await niceOf(String(process.pid)), others: await Promise.all(threads.map(niceOf)) }
}

/** The data of all events of a Work that is done. */
async function eventTexts(service: TestService, workId: string): Promise<string[]> {
  const text = await service.eventsUntilDone(workId)
  return text.split("\n").filter((line) => line.startsWith("data:"))
}
