/** When the watcher reads and when it rests, with an upstream in memory and a clock of the test. */
import { beforeEach, expect, onTestFinished, test, vi } from "vitest"
import type { Answer } from "../../platform/http/send.ts"
import type { Refusal } from "../../platform/http/refusals.ts"
import { answerFrom, fakeApproval, fakeWork } from "./testing/simulation.ts"
import { Watcher } from "./watcher.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
  onTestFinished(() => void vi.useRealTimers())
})

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000)

function startWatcher() {
  const works = [1, 2, 3].map((at) => fakeWork(`w${at}`, at, { approvals: [fakeApproval(`a${at}`)] }))
  let reads = 0
  const watcher = new Watcher({
    readUpstream: async (_, target) => {
      reads++
      const { status, body } = answerFrom(works, target)
      return { status, headers: {}, body: Buffer.from(JSON.stringify(body)) }
    },
  })
  onTestFinished(() => watcher.stop())
  const ask = (query: string, ifNoneMatch?: string) => {
    const answers: (Answer | Refusal)[] = []
    const leave = watcher.waiting({ query, ifNoneMatch, audience: () => "everything" }, (answer) =>
      answers.push(answer),
    )
    return { answers, leave }
  }
  const content = () => {
    const [answer] = ask("").answers
    if (answer === undefined || "code" in answer) return expect.unreachable()
    return { ...JSON.parse(answer.body.toString()), etag: answer.headers["ETag"] }
  }
  const readsIn = async (seconds: number) => {
    const before = reads
    await pass(seconds)
    return reads - before
  }
  return { ask, content, readsIn }
}

test("nothing is read before the first request", async () => {
  expect(await startWatcher().readsIn(600)).toBe(0)
})

test("the watcher reads for 60 s after the last request, and rests until the next one", async () => {
  const { content, readsIn } = startWatcher()
  content()
  await pass(54)
  expect(await readsIn(5)).toBeGreaterThan(0)
  await pass(2)
  expect(await readsIn(3_600)).toBe(0)
  // The items are still there, and no Work counts as checked.
  expect(content()).toMatchObject({ checked: 0, total: 3, complete: false, approvals: [{}, {}, {}] })
  await pass(1)
  expect(content()).toMatchObject({ checked: 3, total: 3, complete: true, approvals: [{}, {}, {}] })
})

test("a request that waits counts as the last one until it is answered", async () => {
  const { ask, content, readsIn } = startWatcher()
  content()
  await pass(10)
  const { answers } = ask("wait=25", content().etag)
  await pass(25)
  expect(answers).toMatchObject([{ status: 304 }])
  await pass(54)
  expect(await readsIn(5)).toBeGreaterThan(0)
  await pass(2)
  expect(await readsIn(3_600)).toBe(0)
})

test("a request that waits counts as the last one until its client leaves", async () => {
  const { ask, content, readsIn } = startWatcher()
  content()
  await pass(1)
  const { leave } = ask("wait=25", content().etag)
  await pass(20)
  leave()
  await pass(54)
  expect(await readsIn(5)).toBeGreaterThan(0)
  await pass(2)
  expect(await readsIn(3_600)).toBe(0)
})
