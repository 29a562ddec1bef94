/** The watcher against the embedded service with the product's colleagues. */
import { expect, test, vi } from "vitest"
import { ALICE, deskServiceForTest } from "../service/testing/desk-service.ts"
import { askWaiting, createFetchReader, startWatcherHost } from "./testing/watcher.ts"

type Content = {
  attention: { work: { id: string; status: string }; item: { id: string; status: string } }[]
  approvals: { work: { id: string; status: string }; item: { id: string; status: string } }[]
  checked: number
  total: number
  complete: boolean
}

test("the watcher sees a clarification and an approval come and go, and Work end", async () => {
  const service = await deskServiceForTest()
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
