import { expect, it } from "vitest"
import { pathTable } from "./path-match.ts"

const list = { method: "GET", path: "/work" }
const one = { method: "GET", path: "/work/{id}" }
const change = { method: "PUT", path: "/work/{id}" }
const query = { method: "GET", path: "/health?upstream" }
const find = pathTable([list, one, change, query])

it.each([
  ["GET", "/work", { entry: list, ids: [], served: [list] }],
  ["PUT", "/work/a%20b", { entry: change, ids: ["a b"], served: [one, change] }],
  ["POST", "/work/a", { entry: undefined, ids: ["a"], served: [one, change] }],
  // Braces in a path are an id like any other, and no special characters.
  ["GET", "/work/{id}", { entry: one, ids: ["{id}"], served: [one, change] }],
  ["GET", "/health?upstream", { entry: query, ids: [], served: [query] }],
])("%s %s", (method, path, found) => {
  expect(find(method, path)).toEqual(found)
})

it.each(["/work/", "/work/..", "/work/%zz", "/work/a/b", "/healthupstream"])("%s is unknown", (path) => {
  expect(find("GET", path)).toEqual({ entry: undefined, ids: [], served: [] })
})
