import type { Page } from "@playwright/test"
import { frame } from "./event-upstream.ts"
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
  await expect(status(page)).toHaveText(/^Reconnecting.*Nothing received for 45 s/)
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
  await expect.poll(() => sequences(page)).toEqual(["2", "1"])
})

test("a stream that is refused for now is said with the Problem's words, while the Work is still read", async ({
  page,
  eventUpstream,
}) => {
  eventUpstream.onStream = (request) => request.refuse(429, { "Retry-After": "4" })
  await page.goto(WORK)
  await expect(status(page)).toHaveText(/^Reconnecting in \d s\. .*live stream/)
  const alert = activity(page).getByRole("alert")
  await expect(alert).toContainText("Refused with 429")
  await expect(alert).toContainText("The test refused this.")
  await expect(alert).toContainText("request-429")
  await expect(activity(page)).not.toContainText(/too many requests/i)
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
  await page.goto(`${WORK}&find=Step+1`)
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
  await expect.poll(() => eventUpstream.streams.length).toBe(before + 1)
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
  await expect(status(second)).toHaveText(/^Paused here because 4 other tabs are live/)
  for (const tab of [first, third, fourth, fifth]) await expect(status(tab)).toHaveText(/^Live/)

  await second.getByRole("button", { name: "Continue here" }).click()
  await expect(status(second)).toHaveText(/^Live/)
  await expect(status(third)).toHaveText(/^Paused/)
  await expect.poll(() => sequences(second)).toEqual(["1"])
  await setHidden(fifth, true)
  await expect(status(third)).toHaveText(/^Live/)
})

// The real app behind the real proxy, in front of an upstream whose every byte the test writes.
test("a stream that is cut at every point of a frame loses nothing and repeats nothing", async ({
  page,
  eventUpstream,
}) => {
  await page.clock.install()
  const short = (sequence: number) => frame(sequence, "s", "{}")
  const points = short(10).length
  let point = 0
  eventUpstream.onStream = (request) => {
    const next = Number(request.after) + 1
    request.open()
    request.write(short(next))
    if (point > points) return
    request.write(short(next + 1).slice(0, point++))
    setTimeout(request.cut, 50)
  }
  await page.goto(WORK)
  // Each look lets the page's pause before its next try pass.
  await expect(async () => {
    await page.clock.fastForward(1_000)
    expect(eventUpstream.streams.length).toBeGreaterThan(points + 1)
  }).toPass({ intervals: [100] })
  await expect(status(page)).toHaveText(/^Live/)
  const last = Number(eventUpstream.streams.at(-1)?.after) + 1
  await expect.poll(() => sequences(page)).toEqual(countDown(last))
  const positions = eventUpstream.streams.map(({ after }) => Number(after))
  expect(positions[0]).toBe(0)
  // A reset may take a frame with it that had left already; then it is asked for again.
  expect(positions).toEqual(positions.toSorted((a, b) => a - b))
  expect(eventUpstream.streams.filter(({ isOpen }) => isOpen())).toHaveLength(1)
})

/** Longer than a read may take (`ANSWER_TIMEOUT_MS`), and shorter than the silence after which a stream is late. */
const READ_MAX_MS = 42_000

test("streams that were cut leave nothing behind in the browser's memory", async ({ page, eventUpstream }) => {
  await page.clock.install()
  // A read keeps its signals until its time is over. The clock of the page does not move `AbortSignal.timeout`, so it gets a timer that the clock moves.
  await page.addInitScript(() => {
    AbortSignal.timeout = (ms) => {
      const over = new AbortController()
      setTimeout(() => over.abort(new DOMException("", "TimeoutError")), ms)
      return over.signal
    }
  })
  eventUpstream.onStream = (request) => {
    request.open()
    request.write(frame(Number(request.after) + 1, "s", "{}"))
  }
  const session = await page.context().newCDPSession(page)
  await session.send("HeapProfiler.enable")
  const countSignals = async () => {
    await page.clock.fastForward(READ_MAX_MS)
    await expect(status(page)).toHaveText(/^Live/)
    await session.send("HeapProfiler.collectGarbage")
    const prototype = await session.send("Runtime.evaluate", { expression: "AbortSignal.prototype" })
    const { objects } = await session.send("Runtime.queryObjects", {
      prototypeObjectId: prototype.result.objectId ?? "",
    })
    const { result } = await session.send("Runtime.callFunctionOn", {
      objectId: objects.objectId ?? "",
      functionDeclaration: "function () { return this.length }",
      returnByValue: true,
    })
    await session.send("Runtime.releaseObject", { objectId: objects.objectId ?? "" })
    return Number(result.value)
  }
  // A read that is under way has signals too, so the least of several counts is what stays.
  const leastSignals = async () => Math.min(await countSignals(), await countSignals(), await countSignals())
  const reconnect = async (times: number) => {
    for (let time = 0; time < times; time++) {
      const before = eventUpstream.streams.length
      eventUpstream.streams.at(-1)?.cut()
      await expect(async () => {
        await page.clock.fastForward(1_000)
        expect(eventUpstream.streams.length).toBeGreaterThan(before)
      }).toPass({ intervals: [100] })
      await expect(status(page)).toHaveText(/^Live/)
    }
  }
  await page.goto(WORK)
  await expect(status(page)).toHaveText(/^Live/)
  await reconnect(3)
  const before = await leastSignals()
  await reconnect(24)
  expect((await leastSignals()) - before).toBeLessThan(12)
})

test("replays are dropped, and ids beyond 2^53 stay apart", async ({ page, eventUpstream }) => {
  const big = ["9007199254740992", "9007199254740993", "9007199254740994", "9223372036854775807"]
  const all = [...events(3), ...big.map((id) => frame(id, "step", `{"exact":${id}}`))]
  eventUpstream.onStream = (request) => {
    request.open()
    for (const one of [...all, ...all.slice(2)]) request.write(one)
    if (eventUpstream.streams.length < 3) setTimeout(request.end, 100)
  }
  await page.goto(WORK)
  await expect.poll(() => eventUpstream.streams.length).toBe(3)
  await expect(status(page)).toHaveText(/^Live/)
  await expect.poll(() => sequences(page)).toEqual([...big.toReversed(), "3", "2", "1"])
  expect(eventUpstream.streams.map(({ after }) => after)).toEqual(["0", "9223372036854775807", "9223372036854775807"])
  await entry(page, "9007199254740993").click()
  await expect(log(page)).toContainText('"exact": 9007199254740993')
})

test("401, 403 and 404 stop the stream at once, with what was received kept", async ({ page, eventUpstream }) => {
  await page.clock.install()
  serve(eventUpstream, events(3), (request) => setTimeout(request.cut, 300))
  await page.goto(WORK)
  await expect.poll(() => sequences(page)).toEqual(["3", "2", "1"])
  const alert = activity(page).getByRole("alert")
  const again = alert.getByRole("button", { name: "Try again" })
  for (const refusal of [401, 403, 404]) {
    eventUpstream.onStream = (request) => request.refuse(refusal)
    if (refusal !== 401) await again.click()
    await expect(alert).toContainText(`Refused with ${String(refusal)}`)
    await expect(alert).toContainText("The test refused this.")
    await expect(alert).toContainText(`request-${String(refusal)}`)
    await expect(status(page)).toHaveText(/^Stopped/)
    await expect(activity(page).getByRole("button", { name: "Pause" }), "nothing is to be paused").toHaveCount(0)
    expect(await sequences(page)).toEqual(["3", "2", "1"])
    const asked = eventUpstream.streams.length
    await page.clock.runFor(60_000)
    expect(eventUpstream.streams).toHaveLength(asked)
  }
  const asked = eventUpstream.streams.length
  serve(eventUpstream, events(4))
  await again.click()
  await expect.poll(() => sequences(page)).toEqual(["4", "3", "2", "1"])
  expect(eventUpstream.streams.slice(asked).map(({ after }) => after)).toEqual(["3"])
})

test("an event with any content is shown", async ({ page, eventUpstream }) => {
  const huge = `{"message":"A long report","rows":"${"x".repeat(5_000_000)}"}`
  const odd = [
    frame(1, "unheard.of", "{}"),
    frame(2, "plain", "not JSON at all"),
    frame(3, "array", "[1,2,3]"),
    frame(4, "fields", '{"colour":"green","rows":12}'),
    frame(5, "huge", huge),
    frame(6, "hostile", '{"message":"<img src=x onerror=alert(1)> javascript:alert(1) \u202Egnp.exe"}'),
    'event: without.id\ndata: {"message":"No id"}\n\n',
    'id: seven\nevent: odd.id\ndata: {"message":"Id of letters"}\n\n',
    ": heartbeat\n\nid: 8\n\nevent: nothing\n\n",
    frame(9, "empty", ""),
  ]
  eventUpstream.onStream = (request) => {
    request.open()
    for (const one of odd) request.write(one)
  }
  await page.goto(WORK)
  await expect.poll(() => sequences(page)).toEqual(["9", "seven", "id", "6", "5", "4", "3", "2", "1"])
  await expect(entry(page, "unheard.of")).toContainText("No details")
  await expect(entry(page, "plain")).toContainText("not JSON at all")
  await expect(entry(page, "array")).toContainText("[1,2,3]")
  await expect(entry(page, "fields")).toContainText("colour: green, rows: 12")
  await expect(entry(page, "hostile")).toContainText("<img src=x onerror=alert(1)>")
  await expect(entry(page, "hostile")).toContainText("U+202E")
  expect(await log(page).locator("img").count()).toBe(0)
  await entry(page, "A long report").click()
  await expect(log(page)).toContainText("Only the beginning of 5.0 MB is shown")
  const length = async () => (await log(page).innerText()).length
  const before = await length()
  await log(page).getByRole("button", { name: "Show more" }).click()
  await expect.poll(length).toBeGreaterThan(before + 20_000)
})
