import { afterEach, expect, test, vi } from "vitest"
import { readDesk } from "./desk-request.ts"
import { answerWith } from "./value-schema.ts"
import { reportPresence } from "./report-presence.ts"
import { setAside } from "./team-changes.ts"

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test("a read after a change asks for a fresh answer; a report of presence is no change", async () => {
  // An earlier file of this worker may have changed something: the test begins after the time in which reads are fresh.
  const begun = performance.now() + 6_000
  vi.spyOn(performance, "now").mockReturnValue(begun)
  const reads: (string | null)[] = []
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "GET") reads.push(request.headers.get("cache-control"))
    return Response.json({})
  })
  const read = () => readDesk("/desk/work?", answerWith())
  reportPresence({ work: "w", item: "a", tab: crypto.randomUUID(), doing: "reading" })
  await vi.waitFor(read)
  await read()
  await setAside({ work: "w", item: "a", version: "1", until: null })
  await read()
  expect(reads).toEqual([null, null, "no-cache"])
})
