import { expect, it } from "vitest"
import { loadOnce } from "./load-once.ts"

it("shares one load, and loads again after a failure", async () => {
  const results = [Promise.reject(new Error("away")), Promise.resolve("here"), Promise.resolve("again")]
  const load = loadOnce(() => results.shift() ?? expect.unreachable())
  await expect(Promise.allSettled([load(), load()])).resolves.toMatchObject([
    { status: "rejected" },
    { status: "rejected" },
  ])
  expect(results).toHaveLength(2)
  expect(await Promise.all([load(), load(), load()])).toEqual(["here", "here", "here"])
})
