import { expect, test } from "vitest"
import { readApprovalList } from "../watcher/read-resources.ts"
import { fakeApproval } from "../watcher/testing/simulation.ts"
import { buildContext } from "./build-context.ts"
import { Decisions } from "./decisions.ts"
import { KnownApprovals } from "./known-approvals.ts"

function approvalTo(destination: string) {
  const [approval] = readApprovalList(JSON.stringify({ data: [fakeApproval("asked", { destination })] }))
  if (approval === undefined) throw new Error("no approval")
  return approval
}

/** Work by its id: the destinations to which it had one approved letter each. */
type Works = Readonly<Record<string, readonly string[]>>

/** What a person knows of an approval who sees only the Works whose id begins with `seen`. */
async function contextOf(works: Works, asked: string, onSees?: () => void) {
  const known = new KnownApprovals(undefined)
  for (const [workId, destinations] of Object.entries(works)) {
    const letters = destinations.map((destination, index) =>
      fakeApproval(`a${index}`, { destination, status: "approved", resolved_at: "2026-11-20T10:00:00Z" }),
    )
    known.apply(workId, readApprovalList(JSON.stringify({ data: letters })))
  }
  const sees = (id: string) => {
    onSees?.()
    return id.startsWith("seen")
  }
  const seen = { works: [], sees, isComplete: true }
  return buildContext(
    { workId: "seen-asked", approval: approvalTo(asked) },
    known,
    seen,
    new Decisions(undefined, undefined),
  )
}

/** The addresses that this person is warned of. */
async function warnings(works: Works, asked = "payments@haldon.example"): Promise<readonly string[]> {
  const { look_alikes } = await contextOf(works, asked)
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

test.each([
  "Ann <ann@other.example>, payments@haldon.example",
  "J. Kern <payments@haldon.example>, ann@other.example",
  "payments@haldon.example.",
  // These cannot be read, but some programs read an address in them.
  "ann@other.example payments@haldon.example",
  "=?utf-8?Q?Ann?= <payments@haldon.example>",
])("a look-alike is found in %j", async (destination) => {
  expect(await warnings({ seen: ["payments@halden.example"] }, destination)).toEqual(["payments@halden.example"])
})

test("a letter to several addresses makes each of them known", async () => {
  const works = { seen: ["Ann <ann@other.example>, payments@halden.example"] }
  expect(await warnings(works)).toEqual(["payments@halden.example"])
  for (const known of [
    "ann@other.example",
    "payments+may@halden.example",
    "payments@halden.example, ann@other.example",
  ])
    expect((await contextOf(works, known)).destination).toMatchObject({ first: false, approved: 1 })
})

test("a letter to several addresses is as new as the address that is known least", async () => {
  const works = { "seen-1": ["ann@other.example"], "seen-2": ["ann@other.example", "bob@other.example"] }
  const asked = (text: string) => contextOf(works, text).then(({ destination }) => destination)
  expect(await asked("ann@other.example, bob@other.example")).toMatchObject({ first: false, approved: 1 })
  expect(await asked("ann@other.example, new@other.example")).toMatchObject({ first: true, approved: 0 })
})

test("of a thousand known addresses at one host, only few have their approvals read for a look-alike", async () => {
  const addresses = 1_000
  const looks = { plain: 0, lookAlike: 0 }
  const works = { seen: Array.from({ length: addresses }, (_, index) => `person${index}@halden.example`) }
  await contextOf(works, "new@other.example", () => looks.plain++)
  await contextOf(works, "new@haldon.example", () => looks.lookAlike++)
  expect(looks.plain).toBe(addresses)
  expect(looks.lookAlike - looks.plain).toBeLessThan(10)
})
