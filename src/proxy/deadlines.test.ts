import { expect, it, onTestFinished } from "vitest"
import { Deadlines, type Timed } from "./deadlines.ts"

it("checks every entry and no other, whatever is added and removed meanwhile", async () => {
  const deadlines = new Deadlines(5)
  onTestFinished(() => deadlines.stop())
  const checked = new Map<number, number>()
  const things = Array.from({ length: 50 }, (_, number): Timed => {
    const thing: Timed = {
      index: -1,
      checkTime: () => {
        checked.set(number, (checked.get(number) ?? 0) + 1)
        if (number === 7) deadlines.remove(thing)
      },
    }
    return thing
  })
  for (const thing of things) deadlines.add(thing)
  for (const [number, thing] of things.entries()) if (number % 3 === 0) deadlines.remove(thing)
  deadlines.remove(things[0] ?? { index: -1, checkTime: () => undefined })
  await expect.poll(() => checked.get(49)).toBeGreaterThan(3)
  expect([...checked.keys()].toSorted((one, other) => one - other)).toEqual(
    things
      .keys()
      .toArray()
      .filter((number) => number % 3 !== 0),
  )
  expect(checked.get(7)).toBe(1)
})
