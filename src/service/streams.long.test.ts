import { connect } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { TEST_COLLEAGUES } from "./testing/colleagues.ts"
import { read, upTo } from "./testing/stream-reader.ts"
import { ALICE, serviceForTest } from "./testing/test-service.ts"

test("the event stream disconnects a client that reads nothing, while other clients get every event", async () => {
  const service = await serviceForTest({
    registry: TEST_COLLEAGUES,
    configuration: { limits: { streamsPerCredential: 2 } },
  })
  const work = await service.work({ colleague_id: "filler" })
  const { hostname, port } = new URL(service.url)
  const stalled = connect(Number(port), hostname)
  onTestFinished(() => void stalled.destroy())
  stalled.on("error", () => {})
  stalled.pause()
  stalled.write(`GET /api/v1/work/${work}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ALICE}\r\n\r\n`)
  const healthy = await read(service, work)
  const statusOfThird = async () => {
    const reader = await read(service, work, "?after=9223372036854775807")
    reader.close()
    return reader.status
  }
  await expect.poll(statusOfThird).toBe(429)
  await expect.poll(statusOfThird, { interval: 200 }).toBe(200)
  expect(healthy.ended).toBe(false)
  expect(healthy.sequences).toEqual(upTo(healthy.sequences.length))
})
