import { expect } from "vitest"
import { readDestination } from "./destination.ts"
import { LookAlikes } from "./look-alikes.ts"

const word = (index: number) =>
  Array.from({ length: 10 }, (_, place) => String.fromCharCode(97 + (((index * (place * 7 + 13)) >> place) % 26))).join(
    "",
  )

/** Kinds of destinations: the kind's name, the known destination with a number, and the destination to search for. */
export const MANY: readonly (readonly [kind: string, textOf: (index: number) => string, asked: string])[] = [
  ["names of one domain", (index) => `${word(index)}${index}@halden.example`, "paymants@halden.example"],
  ["domains", (index) => `payments@${word(index)}${index}.example`, "payments@haldenwarehouse.example"],
  ["channels", (index) => `#${word(index)}-${index}`, "#finance-teams"],
]

/** Expects a search among `count` known destinations to take less than 20 ms, as the median of nine. */
export function expectFastSearch(count: number, textOf: (index: number) => string, asked: string): void {
  const known = new LookAlikes()
  for (let index = 0; index < count; index++) known.add(readDestination(textOf(index)))
  const times = Array.from({ length: 9 }, () => {
    const began = performance.now()
    known.find(readDestination(asked))
    return performance.now() - began
  })
  expect(times.toSorted((a, b) => a - b)[4]).toBeLessThan(20)
}
