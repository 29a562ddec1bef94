import { expect, test } from "vitest"
import { isProblem, PROBLEM_MEDIA_TYPE } from "./problem.ts"
import type { Problem } from "./resources.ts"

const problem: Problem = {
  type: "about:blank",
  title: "Stale version",
  status: 412,
  detail: "The version in If-Match is stale.",
  instance: "/api/v1/work/1",
  code: "VERSION_STALE",
  request_id: "req_1",
  retryable: false,
}

test("a Problem has its eight members", () => {
  expect(PROBLEM_MEDIA_TYPE).toBe("application/problem+json")
  expect(isProblem(problem)).toBe(true)
  expect(isProblem({ ...problem, failure_code: "malware_detected", region: "of a gateway" })).toBe(true)
})

test.each(Object.keys(problem))("a value without %s, or with another type of it, is not a Problem", (name) => {
  const others = Object.entries(problem).filter(([member]) => member !== name)
  expect(isProblem(Object.fromEntries(others))).toBe(false)
  expect(isProblem({ ...problem, [name]: null })).toBe(false)
  expect(isProblem({ ...problem, [name]: [] })).toBe(false)
})

test.each([undefined, null, "", 412, [], [problem], { ...problem, status: 412.5 }])("%j is not a Problem", (value) => {
  expect(isProblem(value)).toBe(false)
})
