import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { allParts } from "../ui/part.tsx"
import { loadAhead } from "./load-ahead.ts"

const loaded: string[] = []

beforeEach(() => {
  loaded.length = 0
  allParts.length = 0
})
afterEach(() => void vi.restoreAllMocks())

/** Makes a part that does `then` when it is loaded. */
function addPart(name: string, then: () => void = () => undefined): void {
  allParts.push(async () => {
    loaded.push(name)
    then()
  })
}

test("the parts are loaded in turn, and so are parts that the code of a part makes", async () => {
  addPart("first", () => addPart("within the first"))
  addPart("second")
  await loadAhead()
  expect(loaded).toEqual(["first", "second", "within the first"])
})

test("nothing is requested once the network is gone", async () => {
  addPart("first", () => void vi.spyOn(navigator, "onLine", "get").mockReturnValue(false))
  addPart("second")
  await loadAhead()
  expect(loaded).toEqual(["first"])
})

test("nothing is requested after a part that didn't arrive", async () => {
  addPart("first", () => {
    throw new TypeError("Failed to fetch")
  })
  addPart("second")
  await expect(loadAhead()).rejects.toThrow("Failed to fetch")
  expect(loaded).toEqual(["first"])
})
