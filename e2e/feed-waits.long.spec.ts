import { event, events, serve, setHidden, status, WORK } from "./feed-verbs.ts"
import { expect, test } from "./fixtures.ts"

test.use({ deskOptions: { upstream: "events" } })

test("Retry-After is waited for also when the tab was hidden meanwhile", async ({ page, eventUpstream }) => {
  await page.clock.install()
  eventUpstream.onStream = (request) => request.refuse(429, { "Retry-After": "120" })
  await page.goto(WORK)
  await expect(status(page)).toHaveText(/^Reconnecting in 1\d\d s/)
  await setHidden(page, true)
  await page.clock.fastForward(61_000)
  await expect(status(page)).toHaveText(/^Paused/)
  serve(eventUpstream, events(1))
  await setHidden(page, false)
  await expect(status(page)).toHaveText(/^Reconnecting in [56]\d s/)
  expect(eventUpstream.streams).toHaveLength(1)
  await page.clock.fastForward(60_000)
  await expect(status(page)).toHaveText(/^Live/)
  expect(eventUpstream.streams).toHaveLength(2)
})

test("a Retry-After of weeks is waited for, and said in days", async ({ page, eventUpstream }) => {
  await page.clock.install()
  eventUpstream.onStream = (request) => request.refuse(429, { "Retry-After": "3000000" })
  await page.goto(WORK)
  await expect(status(page)).toHaveText(/^Reconnecting in 35 days\./)
  await page.clock.runFor(4_000)
  expect(eventUpstream.streams).toHaveLength(1)
  serve(eventUpstream, events(1))
  await page.clock.fastForward(3_000_000_000)
  await expect(status(page)).toHaveText(/^Live/)
})

test("a clock that is set back during a Retry-After does not hold the stream up", async ({ page, eventUpstream }) => {
  eventUpstream.onStream = (request) => request.refuse(429, { "Retry-After": "3" })
  await page.goto(WORK)
  await expect(status(page)).toHaveText(/^Reconnecting in [23] s/)
  serve(eventUpstream, events(1))
  await page.evaluate(() => {
    const now = Date.now
    Date.now = () => now() - 3_600_000
  })
  await expect(status(page)).toHaveText(/^Reconnecting in [12] s/)
  await expect(status(page)).toHaveText(/^Live/, { timeout: 5_000 })
})

test("the first retry comes soon, later retries later, and a 200 alone does not reset the delay", async ({
  page,
  eventUpstream,
}) => {
  eventUpstream.onStream = (request) => {
    request.open()
    request.write("retry: 0\n\n")
    setTimeout(request.end, 20)
  }
  await page.goto(WORK)
  await expect.poll(() => eventUpstream.streams.length, { timeout: 20_000 }).toBe(5)
  const times = eventUpstream.streams.map(({ at }) => at)
  const [first = 0, ...waits] = times.slice(1).map((at, index) => at - (times[index] ?? 0))
  expect(waits[0]).toBeGreaterThan(1_000)
  expect(waits[1]).toBeGreaterThan(2_000)
  expect(waits[2]).toBeGreaterThan(4_000)
  expect(first).toBeLessThan(waits[2] ?? 0)
  // An event resets it: the next wait is a short one again.
  eventUpstream.onStream = (request) => {
    request.open()
    request.write(event(Number(request.after) + 1))
    setTimeout(request.end, 50)
  }
  await expect.poll(() => eventUpstream.streams.length, { timeout: 20_000 }).toBeGreaterThan(8)
  const later = eventUpstream.streams.slice(-3).map(({ at }) => at)
  expect((later[1] ?? 0) - (later[0] ?? 0)).toBeLessThan(waits[2] ?? 0)
})
