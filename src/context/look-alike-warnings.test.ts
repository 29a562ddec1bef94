import { expect, test } from "vitest"
import { readApprovalList } from "../waiting/resources.ts"
import { fakeApproval } from "../waiting/testing/simulation.ts"
import { buildContext } from "./build-context.ts"
import { Decisions } from "./decisions.ts"
import { KnownApprovals } from "./known-approvals.ts"

const [asked] = readApprovalList(
  JSON.stringify({ data: [fakeApproval("asked", { destination: "payments@haldon.example" })] }),
)

/** Work by its id: the destinations to which it had one approved letter each. */
type Works = Readonly<Record<string, readonly string[]>>

/** The addresses that a person is warned of who sees only the Works whose id begins with `seen`. */
async function warnings(works: Works): Promise<readonly string[]> {
  const known = new KnownApprovals(undefined)
  for (const [workId, destinations] of Object.entries(works)) {
    const letters = destinations.map((destination, index) =>
      fakeApproval(`a${index}`, { destination, status: "approved", resolved_at: "2026-11-20T10:00:00Z" }),
    )
    known.take(workId, readApprovalList(JSON.stringify({ data: letters })))
  }
  if (asked === undefined) throw new Error("no approval")
  const seen = { works: [], sees: (id: string) => id.startsWith("seen"), isComplete: true }
  const { look_alikes } = await buildContext("seen-asked", asked, known, seen, new Decisions(undefined, undefined))
  return look_alikes.map(({ destination }) => destination)
}

test("a person is warned of the real domain though another person's Work knew an address there first", async () => {
  const seen = { seen: ["orders@halden.example"] }
  expect(await warnings(seen)).toEqual(["orders@halden.example"])
  expect(await warnings({ concealed: ["first@halden.example"], ...seen })).toEqual(["orders@halden.example"])
  expect(await warnings({ concealed: ["payments@halden.example"], ...seen })).toEqual(["orders@halden.example"])
})

test("concealed Work changes neither which address is named nor how it is written", async () => {
  const seen = { seen: ["Ann <ann@halden.example>", "bob@halden.example"] }
  const expected = ["Ann <ann@halden.example>"]
  expect(await warnings(seen)).toEqual(expected)
  expect(await warnings({ concealed: ["bob@halden.example"], ...seen })).toEqual(expected)
  expect(await warnings({ concealed: ["Secret project <ann@halden.example>"], ...seen })).toEqual(expected)
})

test("of several addresses at the real domain the one with the same name is named, or else the most approved", async () => {
  const often = {
    "seen-1": ["cfo@halden.example"],
    "seen-2": ["orders@halden.example"],
    "seen-3": ["orders@halden.example"],
  }
  expect(await warnings(often)).toEqual(["orders@halden.example"])
  expect(await warnings({ ...often, "seen-4": ["payments@halden.example"] })).toEqual(["payments@halden.example"])
})
