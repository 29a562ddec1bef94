import {
  activity,
  countDown,
  entry,
  event,
  events,
  log,
  sequences,
  serve,
  setHidden,
  status,
  WORK,
} from "./feed-verbs.ts"
import { expect, test } from "./fixtures.ts"
import type { Page } from "@playwright/test"

// The real app behind the real proxy, in front of an upstream whose every byte the test writes.
test.use({ deskOptions: { upstream: "events" } })

test("heartbeats keep a quiet stream, and silence for three of them ends it", async ({ page, eventUpstream }) => {
  await page.clock.install()
  let beat: (() => void) | undefined
  serve(eventUpstream, events(1), (request) => {
    beat = () => request.write(": heartbeat\n\n")
  })
  await page.goto(WORK)
  await expect(status(page)).toHaveText(/^Live/)
  const network = await page.context().newCDPSession(page)
  await network.send("Network.enable")
  for (let beats = 0; beats < 10; beats++) {
    const heard = new Promise((resolve) => network.once("Network.dataReceived", resolve))
    beat?.()
    await heard
    await page.clock.fastForward(15_000)
    await expect(status(page)).toHaveText(/^Live/)
  }
  expect(eventUpstream.streams).toHaveLength(1)
  // The proxy goes on with the upstream's stream: only the browser thinks it dead.
  const again = page.waitForRequest((request) => request.url().endsWith("/events?after=1"))
  await page.clock.fastForward(46_000)
  await expect(status(page)).toHaveText(/^Reconnecting.*Nothing was heard for 45 s/)
  await again
  await expect(status(page)).toHaveText(/^Live/)
  expect(await sequences(page)).toEqual(["1"])
})

test("Retry-After is waited for, and said", async ({ page, eventUpstream }) => {
  eventUpstream.onStream = (request) => request.refuse(429, { "Retry-After": "4" })
  await page.goto(WORK)
  await expect(status(page)).toHaveText(/^Reconnecting in [34] s/)
  serve(eventUpstream, events(2))
  await expect(status(page)).toHaveText(/^Live/)
  const [first, second] = eventUpstream.streams
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(3_900)
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeLessThan(6_000)
  await expect.poll(() => sequences(page)).toEqual(["2", "1"])
})

test("a stream that is refused for now is said with the Problem's words, while the Work is still read", async ({
  page,
  eventUpstream,
}) => {
  eventUpstream.onStream = (request) => request.refuse(429, { "Retry-After": "4" })
  await page.goto(WORK)
  await expect(status(page)).toHaveText(/^Reconnecting in \d s\. .*event stream/)
  const alert = activity(page).getByRole("alert")
  await expect(alert).toContainText("Refused with 429")
  await expect(alert).toContainText("The test refused this.")
  await expect(alert).toContainText("request-429")
  await expect(activity(page)).not.toContainText("too many requests")
  eventUpstream.change({ title: "A new title" })
  await expect(page.getByRole("button", { name: /Show/ })).toBeVisible({ timeout: 20_000 })
  const [first, second] = eventUpstream.streams
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(3_900)
  serve(eventUpstream, events(1))
  await expect(status(page)).toHaveText(/^Live/)
  await expect(alert).toHaveCount(0)
})

test("Back brings the filter of its address", async ({ page, eventUpstream }) => {
  serve(eventUpstream, events(3))
  await page.goto(`${WORK}?find=Step+1`)
  await expect.poll(() => sequences(page)).toEqual(["1"])
  await entry(page, "Step 1").click()
  await log(page).getByRole("link", { name: "Link to this event" }).click()
  await expect(page).toHaveURL(/event=1/)
  await activity(page).getByRole("searchbox").fill("Step 2")
  await expect(page).toHaveURL(/find=Step\+2/)
  await page.goBack()
  await expect(page).toHaveURL(/find=Step\+1$/)
  await expect(activity(page).getByRole("searchbox")).toHaveValue("Step 1")
  await expect.poll(() => sequences(page)).toEqual(["1"])
})

test("an event keeps the focus while hundreds of newer ones arrive", async ({ page, eventUpstream }) => {
  serve(eventUpstream, events(10))
  await page.goto(WORK)
  await entry(page, "Step 4").focus()
  for (let sequence = 11; sequence <= 310; sequence++) eventUpstream.streams[0]?.write(event(sequence))
  await expect.poll(async () => (await sequences(page))[0]).toBe("310")
  await expect(entry(page, /Step 4\b/)).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(log(page)).toContainText('"message": "Step 4"')
})

test("offline and back, and a clock that was set back, lose nothing", async ({ page, eventUpstream, context }) => {
  serve(eventUpstream, events(2))
  await page.goto(WORK)
  await expect(status(page)).toHaveText(/^Live/)
  await context.setOffline(true)
  await expect(status(page)).toHaveText(/^Reconnecting.*offline/)
  const stream = eventUpstream.streams.at(-1)
  if (stream?.isOpen() === true) for (const sequence of [3, 4]) stream.write(event(sequence))
  serve(eventUpstream, events(4))
  await context.setOffline(false)
  await expect(status(page)).toHaveText(/^Live/)
  await expect.poll(() => sequences(page)).toEqual(countDown(4))
  await page.evaluate(() => {
    const now = Date.now
    Date.now = () => now() - 3_600_000
  })
  serve(eventUpstream, events(5))
  const before = eventUpstream.streams.length
  eventUpstream.streams.at(-1)?.cut()
  await expect.poll(() => eventUpstream.streams.length, { timeout: 3_000 }).toBe(before + 1)
  await expect.poll(() => sequences(page)).toEqual(countDown(5))
})

test("a hidden tab has no stream, and hidden and shown twenty times it has one again, without a gap", async ({
  page,
  eventUpstream,
}) => {
  serve(eventUpstream, events(2))
  await page.goto(WORK)
  await expect(status(page)).toHaveText(/^Live/)
  await expect.poll(() => sequences(page)).toEqual(countDown(2))
  const open = () => eventUpstream.streams.filter(({ isOpen }) => isOpen()).length
  await setHidden(page, true)
  await expect(status(page)).toHaveText(/^Paused/)
  await expect.poll(open).toBe(0)
  serve(eventUpstream, events(4))
  await setHidden(page, false)
  await expect(status(page)).toHaveText(/^Live/)
  await expect.poll(() => sequences(page)).toEqual(countDown(4))
  expect(eventUpstream.streams.map(({ after }) => after)).toEqual(["0", "2"])
  await expect(log(page).getByText("New since you left")).toBeVisible()

  for (let times = 0; times < 20; times++) {
    await setHidden(page, true)
    await setHidden(page, false)
  }
  await expect(status(page)).toHaveText(/^Live/)
  await expect.poll(open).toBe(1)
  expect(await sequences(page)).toEqual(countDown(4))
})

test("of five windows beside each other four are live: the one that was used before the others pauses", async ({
  context,
  eventUpstream,
}) => {
  serve(eventUpstream, events(1))
  const tabs: Page[] = []
  for (let count = 0; count < 5; count++) {
    const tab = await context.newPage()
    tabs.push(tab)
    await tab.goto(WORK)
    await expect(status(tab)).toHaveText(/^Live/)
    // The first one is in use again.
    if (count === 3) await tabs[0]?.evaluate(() => dispatchEvent(new Event("focus")))
  }
  const [first, second, third, fourth, fifth] = tabs
  if (!first || !second || !third || !fourth || !fifth) throw new Error("no tabs")
  await expect(status(second)).toHaveText(/^Paused here: 4 other windows are live/)
  for (const tab of [first, third, fourth, fifth]) await expect(status(tab)).toHaveText(/^Live/)

  await second.getByRole("button", { name: "Continue here" }).click()
  await expect(status(second)).toHaveText(/^Live/)
  await expect(status(third)).toHaveText(/^Paused/)
  await expect.poll(() => sequences(second)).toEqual(["1"])
  await setHidden(fifth, true)
  await expect(status(third)).toHaveText(/^Live/)
})
