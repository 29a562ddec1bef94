import { expect, onTestFinished, test } from "vitest"
import { ActiveClock } from "./active-clock.ts"

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
