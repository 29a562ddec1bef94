/** The watcher against the embedded service with the product's colleagues. */
import { expect, onTestFinished, test, vi } from "vitest"
import { DeskQueries } from "../insight/desk-queries.ts"
import { execute, ALICE, serviceForTest, folderForTest, startTestService } from "../../service/testing/test-service.ts"
import { askWaiting, createFetchReader, startWatcherHost } from "./testing/watcher.ts"

type Content = {
  attention: { work: { id: string; status: string }; item: { id: string; status: string } }[]
  approvals: { work: { id: string; status: string }; item: { id: string; status: string } }[]
  checked: number
  total: number
  complete: boolean
}

test("the watcher sees a clarification and an approval come and go, and Work end", async () => {
  const service = await serviceForTest()
  const { url } = await startWatcherHost({ readUpstream: createFetchReader(service.url, ALICE) })
  const until = (expected: object) =>
    vi.waitFor(
      async () => {
        const content: Content = JSON.parse((await askWaiting(url)).text)
        expect(content).toMatchObject(expected)
        return content
      },
      { timeout: 15_000 },
    )
  await until({ total: 0, complete: true })
  const id = await service.work()
  await service.work({ colleague_id: "metronome", objective: "rate=1" })
  const asked = await until({ checked: 2, total: 2, complete: true, attention: [{ work: { id } }], approvals: [] })
  const { item } = asked.attention[0] ?? expect.unreachable()
  const listed = JSON.parse((await service.get(`/api/v1/work/${id}/attention`)).text).data
  expect([item]).toEqual(listed)
  expect((await service.answer(id)).status).toBe(200)
  await until({ complete: true, attention: [], approvals: [{ work: { id }, item: { status: "pending" } }] })
  expect((await service.decide(id, "approve")).status).toBe(200)
  await until({ checked: 1, total: 1, complete: true, attention: [], approvals: [] })
})

test("Work of one status and one millisecond is listed in the order of the service, page by page", async () => {
  const dataFolder = await folderForTest()
  const first = await startTestService({ dataFolder })
  const created: string[] = []
  for (let count = 0; count < 12; count++)
    created.unshift(await first.work(count % 2 === 0 ? { colleague_id: "metronome" } : {}))
  for (const [index, id] of created.entries()) if (index % 2 === 0) await first.until(id, "needs_you")
  await first.stop()
  execute(dataFolder, "UPDATE work SET created_at = 1800000000000")
  const service = await serviceForTest({ dataFolder })
  const queries = new DeskQueries({ readUpstream: createFetchReader(service.url, ALICE) })
  onTestFinished(() => queries.stop())
  const idsOf = async (query: string): Promise<string[]> => {
    const answer = await queries.openWork(query, true, "everything", () => Promise.resolve(new Set()))
    const { data }: { data: { id: string }[] } = JSON.parse(String(answer.body))
    return data.map(({ id }) => id)
  }
  const metronomes = created.filter((_, index) => index % 2 === 1)
  expect(await idsOf("status=working")).toEqual(metronomes)
  expect(await idsOf("status=needs_you")).toEqual(created.filter((_, index) => index % 2 === 0))
})
