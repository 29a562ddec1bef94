import { expect, test } from "vitest"
import { RecentlyUsed } from "./recently-used.ts"

const MOST = 20
const HALF = 10

test("keeps the last keys in use, however many others come, and forgets the others", () => {
  const kept = new RecentlyUsed<{ readonly key: string }>(MOST)
  const add = (key: string) => kept.set(key, { key })
  add("used")
  add("unused")
  for (let index = 0; index < 10 * HALF; index++) {
    add(`other-${index}`)
    if (index % (HALF / 2) === 0) expect(kept.get("used")).toEqual({ key: "used" })
  }
  expect(kept.get("unused")).toBeUndefined()
  const others = Array.from({ length: 10 * HALF }, (_, index) => kept.get(`other-${index}`))
  expect(others.slice(-HALF + 1)).not.toContain(undefined)
})

test("holds at most so many keys", () => {
  const kept = new RecentlyUsed<object>(MOST)
  const keys = Array.from({ length: 100 }, (_, index) => `key-${index}`)
  for (const key of keys) kept.set(key, {})
  expect(keys.slice(0, -MOST).filter((key) => kept.get(key) !== undefined)).toEqual([])
})

test("a deleted key is gone, also one that was used before many others", () => {
  const kept = new RecentlyUsed<object>(MOST)
  kept.set("old", {})
  for (let index = 0; index < HALF; index++) kept.set(`other-${index}`, {})
  expect(kept.get("old")).toBeDefined()
  kept.delete("old")
  expect(kept.get("old")).toBeUndefined()
})
