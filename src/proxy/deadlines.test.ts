import { expect, it, onTestFinished, vi } from "vitest"
import { Deadlines, type Timed } from "./deadlines.ts"

it("looks at all that wait and at nothing else, whatever comes and goes meanwhile", async () => {
  const deadlines = new Deadlines(5)
  onTestFinished(() => deadlines.stop())
  const looked = new Map<number, number>()
  const things = Array.from({ length: 50 }, (_, number): Timed => {
    const thing: Timed = {
      place: -1,
      look: () => {
        looked.set(number, (looked.get(number) ?? 0) + 1)
        if (number === 7) deadlines.remove(thing)
      },
    }
    return thing
  })
  for (const thing of things) deadlines.add(thing)
  for (const [number, thing] of things.entries()) if (number % 3 === 0) deadlines.remove(thing)
  deadlines.remove(things[0] ?? { place: -1, look: () => undefined })
  await vi.waitFor(() => expect(looked.get(49)).toBeGreaterThan(3))
  expect([...looked.keys()].toSorted((one, other) => one - other)).toEqual(
    things
      .keys()
      .toArray()
      .filter((number) => number % 3 !== 0),
  )
  expect(looked.get(7)).toBe(1)
})
