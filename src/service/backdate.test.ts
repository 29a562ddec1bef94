import { expect, test } from "vitest"
import { listOf, open, textOf } from "./testing/client.ts"
import { ALICE, serviceForTest } from "./testing/test-service.ts"

const WEEK_MS = 7 * 86_400_000

test("backdating changes the times of a Work and of its uploads, events, clarifications, approvals and Artifacts, and nothing else", async () => {
  const service = await serviceForTest()
  const upload = await service.upload("a.csv", "a,b\n1,x\n2,y\n")
  const id = await service.work({ input_upload_ids: [upload] })
  await service.answer(id)
  await service.decide(id, "approve")
  await service.until(id, "done")
  const newer = await service.work()
  const read = async () => {
    const stream = await open(service.url, "GET", `/api/v1/work/${id}/events`, { token: ALICE })
    let events = ""
    for await (const piece of stream) {
      events += String(piece)
      if (events.includes("event: work.done")) break
    }
    const parts = ["", "/approvals", "/artifacts"].map((part) => service.get(`/api/v1/work/${id}${part}`))
    const answers = await Promise.all([...parts, service.get(`/api/v1/uploads/${upload}`)])
    return [events, ...answers.map(({ text }) => text)].join("\n")
  }
  const before = await read()
  await service.running.backdate(id, WEEK_MS)
  const after = await read()
  const shifted = before.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) =>
    new Date(Date.parse(time) - WEEK_MS).toISOString(),
  )
  expect(after).toBe(shifted)
  const ids = listOf((await service.get("/api/v1/work")).body).map((work) => textOf(work, "id"))
  expect(ids).toEqual([newer, id])
})
