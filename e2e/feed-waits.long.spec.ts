import { events, serve, setHidden, status, WORK } from "./feed-verbs.ts"
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
