/**
 * What "Before you decide" costs beside 200,000 known approvals: the longest turn of the event loop while they are loaded, and in three
 * questions at once. One approval in two went to one address, the others to an address each. The store is SQLite on this disk.
 * Then a search for look-alikes among 100,000 known destinations of each kind.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buildContext } from "../../src/desk/insight/build-context.ts"
import { Decisions } from "../../src/desk/insight/decisions.ts"
import { toDestinations } from "../../src/desk/insight/destination.ts"
import { KnownApprovalStore } from "../../src/desk/insight/known-approval-store.ts"
import { IN_MEMORY_MAX, KnownApprovals } from "../../src/desk/insight/known-approvals.ts"
import { findLookAlikes } from "../../src/desk/insight/look-alike-warnings.ts"
import { LookAlikes } from "../../src/desk/insight/look-alikes.ts"
import { longestBlock } from "../../src/platform/testing/longest-block.ts"
import { Turns } from "../../src/platform/turns.ts"
import { openDatabase } from "../../src/desk/store/open-store.ts"
import { readApprovalList } from "../../src/desk/watcher/read-resources.ts"
import { fakeApproval, range } from "../../src/desk/watcher/testing/simulation.ts"
import { median } from "./load/figures.ts"

const folder = await mkdtemp(join(tmpdir(), "workdesk-bench-"))
try {
  const store = new KnownApprovalStore(await openDatabase({ dataFolder: folder, databaseUrl: undefined }))
  const resolvedAt = new Date().toISOString()
  await store.save(
    range(IN_MEMORY_MAX).map((index) => ({
      workId: `work-${index}`,
      approvalId: "a",
      destination: index % 2 === 0 ? `payments@supplier${index}.example` : "payments@halden.example",
      colleague: "analyst",
      status: "approved",
      createdAt: resolvedAt,
      resolvedAt,
      knownAt: Date.parse(resolvedAt),
    })),
  )
  const known = new KnownApprovals(store)
  console.log(`\n| ${IN_MEMORY_MAX} known approvals | longest turn, ms | processor time, ms |`)
  console.log("|---|---:|---:|")
  const report = async (name: string, work: () => Promise<unknown>) => {
    const { longest, total } = await longestBlock(work)
    console.log(`| ${name} | ${longest.toFixed(0)} | ${total.toFixed(0)} |`)
  }
  await report("loaded at the start", () => known.load())
  const everything = { works: [], sees: () => true, isComplete: true }
  for (const destination of ["payments@halden.example", "payments@haldon.example", "new@other.example"]) {
    const [asked] = readApprovalList(JSON.stringify({ data: [fakeApproval("asked", { destination })] }))
    if (asked === undefined) throw new Error("no approval")
    const ask = () =>
      buildContext({ workId: "asking", approval: asked }, known, everything, new Decisions(undefined, undefined))
    await report(`three questions about ${destination}`, () => Promise.all([ask(), ask(), ask()]))
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

const DESTINATIONS = 100_000
const word = (index: number) =>
  range(10)
    .map((place) => String.fromCodePoint(97 + (((index * (place * 7 + 13)) >> place) % 26)))
    .join("")
console.log(`\n| a search among ${DESTINATIONS} destinations | processor time, ms: median of nine |`)
console.log("|---|---:|")
for (const [kind, textOf, asked] of [
  ["names of one domain", (index: number) => `${word(index)}${index}@halden.example`, "paymants@halden.example"],
  ["domains", (index: number) => `payments@${word(index)}${index}.example`, "payments@haldenwarehouse.example"],
  ["channels", (index: number) => `#${word(index)}-${index}`, "#finance-teams"],
] as const) {
  const known = new LookAlikes()
  for (const index of range(DESTINATIONS))
    for (const destination of toDestinations(textOf(index))) known.add(destination)
  const times = range(9).map(() => {
    const before = process.threadCpuUsage()
    for (const destination of toDestinations(asked)) known.find(destination)
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  })
  console.log(`| ${kind} | ${median(times).toFixed(1)} |`)
}

console.log(`\n| a look-alike of a host with ${DESTINATIONS} known addresses | processor time, ms: median of nine |`)
console.log("|---|---:|")
const atOneHost = new KnownApprovals(undefined)
for (const index of range(DESTINATIONS)) {
  const approval = fakeApproval("a", { destination: `${word(index)}${index}@halden.example`, status: "approved" })
  atOneHost.apply(`work-${index}`, readApprovalList(JSON.stringify({ data: [approval] })))
}
for (const [kind, sees] of [
  ["the person sees all Work", () => true],
  ["the person sees none of it", () => false],
] as const) {
  const own = { approved: 0, since: Number.POSITIVE_INFINITY }
  const asked = toDestinations("payments@haldon.example").map((destination) => ({ destination, own }))
  const times: number[] = []
  for (const _ of range(9)) {
    const before = process.threadCpuUsage()
    await findLookAlikes(asked, { known: atOneHost, sees, turns: new Turns() })
    const { user, system } = process.threadCpuUsage(before)
    times.push((user + system) / 1_000)
  }
  console.log(`| ${kind} | ${median(times).toFixed(1)} |`)
}
