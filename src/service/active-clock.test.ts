import { expect, onTestFinished, test } from "vitest"
import { ActiveClock, Stopwatch } from "./active-clock.ts"

test("counts running time, and of a time in which the process or the machine stood still one second at most", () => {
  let time = 5000
  const clock = new ActiveClock(() => time)
  onTestFinished(() => clock.close())
  expect(clock.now()).toBe(0)
  time += 400
  expect(clock.now()).toBe(400)
  time += 60_000
  expect(clock.now()).toBe(1400)
  time += 250
  expect(clock.now()).toBe(1650)
})

test("a stopwatch counts while it runs, and counts from 0 after its time was taken", () => {
  let time = 0
  const clock = new ActiveClock(() => time)
  onTestFinished(() => clock.close())
  const watch = new Stopwatch(clock)
  time += 100
  watch.stop()
  time += 500
  watch.start()
  time += 30
  expect(watch.take()).toBe(130)
  time += 7
  expect(watch.read()).toBe(7)
})
