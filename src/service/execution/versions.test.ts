import { readFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { listOf, textOf } from "../testing/client.ts"
import { NEXT_COLLEAGUES } from "../testing/colleagues-next.ts"
import { TEST_COLLEAGUES } from "../testing/colleagues.ts"
import { folderForTest, serviceForTest, startTestService, type TestService } from "../testing/test-service.ts"

type Stage = "asked" | "answered" | "approved"

/** A Work that reached a stage with the colleagues of colleagues.ts, in a service with the colleagues of colleagues-next.ts. */
async function upgraded(colleague_id: string, stage: Stage) {
  const dataFolder = await folderForTest()
  const before = await startTestService({ dataFolder, registry: TEST_COLLEAGUES })
  const work = await before.work({ colleague_id })
  const question = await before.first(work, "attention")
  if (stage !== "asked") {
    await before.answer(work, "this one")
    await before.first(work, "approvals?status=pending")
  }
  if (stage === "approved") {
    await before.decide(work, "approve")
    await before.until(work, "done")
  }
  await before.stop()
  const after = await serviceForTest({ dataFolder, registry: NEXT_COLLEAGUES })
  return { after, work, question, dataFolder, outbox: join(dataFolder, "outbox") }
}

async function titles(service: TestService, work: string): Promise<string[]> {
  const open = listOf((await service.get(`/api/v1/work/${work}/attention`)).body)
  return open.map((item) => textOf(item, "title"))
}

const summary = async (service: TestService, work: string) =>
  textOf(await service.until(work, "done"), "completion_summary")

test.each(["clerk-event", "clerk-words"])(
  "Work goes on when the same version publishes other events or explains its question in other words (%s)",
  async (colleague) => {
    const { after, work, question } = await upgraded(colleague, "asked")
    expect(await after.first(work, "attention")).toBe(question)
    await after.answer(work, "this one")
    await after.decide(work, "approve")
    expect(await summary(after, work)).toBe("approved")
  },
)

test("Work asks its owner when only another version of its colleague is installed", async () => {
  const { after, work } = await upgraded("clerk-advice", "answered")
  await expect.poll(() => titles(after, work)).toEqual([expect.stringContaining("Start over?")])
})

test("Work asks its owner when the same version takes other steps than the recorded ones", async () => {
  const { after, work } = await upgraded("clerk-steps", "answered")
  await after.decide(work, "approve")
  await expect.poll(() => titles(after, work)).toEqual([expect.stringContaining("Start over?")])
})

test("Work goes on with the version that it began with, if the registry still has that version", async () => {
  const { after, work } = await upgraded("clerk-kept", "answered")
  await after.decide(work, "approve")
  expect(await summary(after, work)).toBe("approved")
  expect(await summary(after, await after.work({ colleague_id: "clerk-kept" }))).toBe("done by the next version")
})

test("a letter is sent as it was approved, whatever the colleague would write now", async () => {
  const { after, work, outbox } = await upgraded("clerk-letter", "answered")
  await after.decide(work, "approve")
  expect(await summary(after, work)).toBe("done by the next version")
  await after.stop()
  const letters = await readdir(outbox)
  expect(letters).toHaveLength(1)
  expect(await readFile(join(outbox, letters[0] ?? ""), "utf8")).toContain("One\n\nTwo")
})

test.each(["asked", "answered"] as const)(
  "Work that began with a version that is gone (%s) asks its owner, and takes the open question or approval back",
  async (stage) => {
    const { after, work, question } = await upgraded("clerk-question", stage)
    await expect
      .poll(() => titles(after, work))
      .toEqual(["The clerk-question has changed since this Work began. Start over?"])
    const late = await after.post(
      `/api/v1/work/${work}/attention/${question}/resolve`,
      { response: "x" },
      { ifMatch: '"2"' },
    )
    expect(late.status).toBe(409)
    expect(listOf((await after.get(`/api/v1/work/${work}/approvals?status=pending`)).body)).toEqual([])

    await after.answer(work, "Start over with the new version.")
    await expect.poll(() => titles(after, work)).toEqual(["Which way round?"])
    await after.answer(work, "this way")
    await expect.poll(() => titles(after, work)).toEqual(["Which?"])
    await after.answer(work, "this one")
    await after.decide(work, "approve")
    expect(await summary(after, work)).toBe("approved")
  },
)

test("the owner may end Work whose colleague has changed", async () => {
  const { after, work } = await upgraded("clerk-question", "asked")
  await expect.poll(() => titles(after, work)).toEqual([expect.stringContaining("Start over?")])
  await after.answer(work, "End it")
  expect(await summary(after, work)).toBe("Ended by its owner: End it")
})

test("Work of a colleague that is no longer installed asks its owner", async () => {
  const { after, work } = await upgraded("clerk-gone", "answered")
  await expect.poll(() => titles(after, work)).toEqual([expect.stringContaining("no longer installed")])
  await after.answer(work, "End this Work.")
  expect(await summary(after, work)).toContain("Ended by its owner")
})

test("Work of a colleague that is installed again begins again after its owner's answer", async () => {
  const { after, work, dataFolder } = await upgraded("clerk-gone", "answered")
  await expect
    .poll(() => titles(after, work))
    .toEqual(["The clerk-gone is no longer installed. Start over when it is back?"])
  await after.answer(work, "Begin again.")
  await expect
    .poll(() => titles(after, work))
    .toEqual(["The clerk-gone is no longer installed. Start over when it is back?"])
  await after.stop()
  const back = await serviceForTest({ dataFolder, registry: TEST_COLLEAGUES })
  await back.answer(work, "Begin again.")
  await expect.poll(() => titles(back, work)).toEqual(["Which?"])
  await back.answer(work, "this one")
  await back.decide(work, "approve")
  expect(await summary(back, work)).toBe("approved")
})

test("Work that is done stays done", async () => {
  const { after, work } = await upgraded("clerk-question", "approved")
  expect(await summary(after, work)).toBe("approved")
})

test.each(["Begin again, there is no hurry.", "Do not end it. Cancel the meeting instead."])(
  "an answer to the service's question that does not say “end” begins the Work again (%s)",
  async (answer) => {
    const { after, work } = await upgraded("clerk-question", "asked")
    await expect.poll(() => titles(after, work)).toEqual([expect.stringContaining("Start over?")])
    await after.answer(work, answer)
    await expect.poll(() => titles(after, work)).toEqual(["Which way round?"])
  },
)
