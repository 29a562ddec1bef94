import { frame, type StreamRequest } from "./event-upstream.ts"
import { activity, entry, event, events, serve, status, WORK } from "./feed-verbs.ts"
import { expect, test } from "./fixtures.ts"

test.use({ deskOptions: { upstream: "events" } })

test("events beyond the limit of memory are left out, which is said, and read again on request", async ({
  page,
  eventUpstream,
}) => {
  const large = Array.from({ length: 56 }, (_, index) =>
    frame(index + 1, "large", `{"message":"Large ${String(index + 1)}","rows":"${"x".repeat(1_000_000)}"}`),
  )
  serve(eventUpstream, large)
  await page.goto(WORK)
  await expect(entry(page, "Large 56")).toBeVisible({ timeout: 30_000 })
  await expect(activity(page)).toContainText(/older events are left out/)
  await expect(entry(page, /Large 1\b/)).toHaveCount(0)
  await activity(page).getByLabel("From sequence").fill("2")
  await activity(page).getByRole("button", { name: "Load" }).click()
  const past = page.getByRole("dialog", { name: "Events from 2" })
  await expect(past.locator("summary").last()).toContainText("Large 2")
  await past.getByRole("button", { name: "Close" }).click()
  await expect(status(page)).toHaveText(/^Live/)
  expect(eventUpstream.streams.filter(({ isOpen }) => isOpen())).toHaveLength(1)
})

test("the feed says when older events are missing", async ({ page, eventUpstream }) => {
  const large = (sequence: number) =>
    frame(sequence, "large", `{"message":"Large ${String(sequence)}","rows":"${"x".repeat(4_500_000)}"}`)
  const all = [...events(8_000), ...Array.from({ length: 12 }, (_, index) => large(8_001 + index))]
  serve(eventUpstream, all)
  await page.goto(WORK)
  await expect(entry(page, "Large 8012")).toBeVisible({ timeout: 45_000 })
  await expect(activity(page)).toContainText(/older events are left out/, { timeout: 30_000 })
  const load = async (from: string) => {
    await activity(page).getByLabel("From sequence").fill(from)
    await activity(page).getByRole("button", { name: "Load" }).click()
    return page.getByRole("dialog", { name: `Events from ${from}` })
  }
  eventUpstream.onStream = (request) => {
    request.open()
    if (request.after === "0") request.write(all.slice(0, 8_000).join(""))
  }
  const limited = await load("1")
  await expect(limited).toContainText("These are the first 5,000 events")
  await expect(limited).toContainText("Load from 5001 to read on.")
  await limited.getByRole("button", { name: "Close" }).click()
  await expect(status(page)).toHaveText(/^Live/)

  let reading: StreamRequest | undefined
  eventUpstream.onStream = (request) => {
    request.open()
    if (request.after === "1") reading = request
    if (request.after === "2") request.write(event(3))
    if (request.after === "2") setTimeout(request.cut, 300)
  }
  const empty = await load("2")
  await expect.poll(() => reading).toBeDefined()
  await activity(page).getByLabel("From sequence").fill("7")
  reading?.cut()
  await expect(empty.getByRole("alert")).toContainText("The connection was cut before the first event arrived")
  await empty.getByRole("button", { name: "Close" }).click()
  await expect(status(page)).toHaveText(/^Live/)
  const partial = await load("3")
  await expect(partial.getByRole("alert")).toContainText("The connection was cut after 1 event: more may follow.")
  await expect(partial.getByRole("alert")).toContainText("Load from 4 to read on.")
})
