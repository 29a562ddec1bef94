import { expect, onTestFinished, test } from "vitest"
import { EventLog } from "./event-log.ts"
import { ExecutionClock } from "./execution-clock.ts"
import { openStore } from "./store/open-service-store.ts"
import { integer } from "./store/sqlite-row.ts"
import { WorkState } from "./work-state.ts"

function clockForTest() {
  const clock = { time: 5000 }
  const usedUp: string[] = []
  const counting = new ExecutionClock(
    (workId) => usedUp.push(workId),
    () => clock.time,
  )
  onTestFinished(() => counting.close())
  return { clock, counting, usedUp }
}

test("counts running time, and of a time in which the process or the machine stood still one second at most", () => {
  const { clock, counting } = clockForTest()
  counting.begin("w", 100, 60_000)
  clock.time += 400
  expect(counting.executedMs("w")).toBe(500)
  clock.time += 60_000
  expect(counting.executedMs("w")).toBe(1500)
  clock.time += 250
  expect(counting.executedMs("w")).toBe(1750)
  counting.end("w")
  expect(counting.executedMs("w")).toBeUndefined()
})

test("does not count a Work while its colleague waits for a thread", () => {
  const { clock, counting } = clockForTest()
  counting.begin("w", 0, 60_000)
  clock.time += 100
  counting.setRunning("w", false)
  clock.time += 500
  expect(counting.executedMs("w")).toBe(100)
  counting.setRunning("w", true)
  clock.time += 30
  expect(counting.executedMs("w")).toBe(130)
})

test("says at each tick which Work has used up its limit, until the Work is no longer counted", async () => {
  const { clock, counting, usedUp } = clockForTest()
  counting.begin("used up", 0, 500)
  counting.begin("has time left", 0, 501)
  clock.time += 500
  await expect.poll(() => usedUp.length, { timeout: 5000 }).toBeGreaterThan(1)
  expect(new Set(usedUp)).toEqual(new Set(["used up"]))
  counting.end("used up")
  counting.end("has time left")
})

test("a commit that fails loses no execution time", async () => {
  const opened = openStore(":memory:")
  onTestFinished(() => opened.close())
  const { store } = opened
  let time = 0
  const state = new WorkState(store, new EventLog(store), () => time)
  onTestFinished(() => state.close())
  await store.effect(() =>
    store.insert("work", {
      id: "w",
      account: "a",
      owner: "o",
      colleague_id: "metronome",
      title: "",
      objective: "",
      visibility_scope: "team",
      priority: "normal",
      status: "working",
      version: 1,
      execution_limit_ms: 2000,
      executed_ms: 0,
      created_at: 0,
      updated_at: 0,
    }),
  )
  await state.resume()
  // As on a full disk: SQLite rolls the whole transaction back.
  const failed = async (change: () => void) => {
    const effect = store.effect(() => {
      change()
      store.run("ROLLBACK")
      throw new Error("database or disk is full")
    })
    await expect(effect).rejects.toThrow("disk is full")
  }
  const executed = () => integer(store.one("SELECT executed_ms FROM work WHERE id = 'w'"), "executed_ms")
  for (let second = 0; second < 3; second++) {
    time += 500
    await failed(() => state.recordExecution("w"))
    await failed(() => state.updateStatus("w", "Finished."))
  }
  expect(executed()).toBe(0)
  await store.effect(() => state.recordExecution("w"))
  expect(executed()).toBe(1500)
  time += 500
  await store.effect(() => state.updateStatus("w"))
  expect(store.one("SELECT status FROM work WHERE id = 'w'")["status"]).toBe("paused")
})
