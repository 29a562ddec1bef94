/**
 * What the record costs, in one run (`npm run bench`). First an approval with its rows stored, beside the same checks without a row and
 * beside bare fsyncs on the same disk. Then the verification of the chain and searches of the record, at 100,000 rows.
 */
import { randomUUID } from "node:crypto"
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseAccess } from "../../src/desk/people/access-file.ts"
import type { Session } from "../../src/desk/people/people-interface.ts"
import { inRecord } from "../../src/desk/record/hash-chain.ts"
import { verify } from "../../src/desk/record/chain-verification.ts"
import { parseBody } from "../../src/platform/http/json-object.ts"
import { findApproval } from "../../src/desk/record/gate/recorded-content.ts"
import type { Mutation } from "../../src/desk/record/gate/mutation.ts"
import { DeskRecord } from "../../src/desk/record/desk-record.ts"
import type { IntentRow } from "../../src/desk/record/record-rows.ts"
import type { Database } from "../../src/desk/store/database.ts"
import { openDatabase } from "../../src/desk/store/open-store.ts"
import { median, percentile } from "./load/figures.ts"

const DECISIONS = 300
const ROUNDS = 5
const ROWS = 100_000

const access = parseAccess(
  JSON.stringify({
    roles: { approver: ["group:finance"] },
    rules: [{ destination: "*@bank.example", approvers: ["group:finance"], preventSelfApproval: true }],
  }),
)
const ada: Session = {
  id: "session",
  person: { id: "ada", name: "Ada Lovelace", roles: ["approver"], operations: [] },
  identity: { issuer: "https://login.example", subject: "ada", groups: ["finance"] },
  authenticatedAt: Date.now(),
  endsAt: null,
}
const approval = {
  id: "approval_1",
  work_id: "work_1",
  status: "pending",
  requested_by_colleague: "analyst",
  summary: "Send the profile of october.csv",
  destination: "payments@bank.example",
  subject: "Profile of october.csv",
  body: "A letter of some length. ".repeat(80),
  proposed_action_payload_hash: "sha256:abc",
  version: 1,
}
const approvals = Buffer.from(JSON.stringify({ data: [approval] }))
const answer = Buffer.from(JSON.stringify({ ...approval, status: "approved", resolution_actor: "sa_demo" }))

const folder = await mkdtemp(join(tmpdir(), "workdesk-bench-"))
const database = await openDatabase({ dataFolder: folder, databaseUrl: undefined })
const nothing = () => undefined
const record = new DeskRecord({
  database,
  mode: "sign-in",
  access: () => access,
  onStored: nothing,
  onFailed: nothing,
  onHead: nothing,
})
const page = Buffer.alloc(4096, 1)
const file = openSync(join(folder, "bare"), "w")

try {
  await benchDecisions()
  await benchLength()
} finally {
  closeSync(file)
  await record.stop()
  await database.close()
  await rm(folder, { recursive: true, force: true })
}

async function benchDecisions(): Promise<void> {
  const contests: Readonly<Record<string, () => Promise<void>>> = {
    "two bare fsyncs of 4 KiB": bareFsyncs,
    "a decision's checks, without the record": checks,
    "a decision, with its intent and outcome stored": decide,
  }
  console.log("\n| on this disk | ms, median | ms, 99 of 100 | processor ms |\n|---|---:|---:|---:|")
  for (const [name, contest] of Object.entries(contests)) {
    const times: number[] = []
    let processor = 0
    for (let round = 0; round <= ROUNDS; round++) {
      for (let turn = 0; turn < DECISIONS / ROUNDS; turn++) {
        const used = process.cpuUsage()
        const began = performance.now()
        await contest()
        // The first round warms V8 up, and is not measured.
        if (round === 0) continue
        times.push(performance.now() - began)
        const { user, system } = process.cpuUsage(used)
        processor += (user + system) / 1_000
      }
    }
    const figures = [median(times), percentile(times, 0.99), processor / times.length]
    console.log(`| ${name} | ${figures.map((figure) => figure.toFixed(2)).join(" | ")} |`)
  }
}

async function bareFsyncs(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    writeSync(file, page, 0, page.length, 0)
    fsyncSync(file)
  }
}

function newMutation(): Mutation {
  return {
    operation: "resolveWorkApproval",
    target: "/api/v1/work/work_1/approvals/approval_1/resolve",
    workId: "work_1",
    itemId: "approval_1",
    idempotencyKey: randomUUID(),
    ifMatch: '"1"',
    body: Buffer.from('{"decision":"approve","comment":"Checked against the invoices."}'),
    requestId: "request",
  }
}

async function checks(): Promise<void> {
  const { body } = newMutation()
  if (body !== undefined) parseBody(body)
  const found = findApproval(approvals, "work_1", "approval_1")
  if (found === undefined) throw new Error("no approval")
  const may = await record.mayApprove(ada, { workId: "work_1", ...found })
  if (may?.approve !== true) throw new Error("refused")
}

async function decide(): Promise<void> {
  const reads = {
    approvals: async () => approvals,
    isClarificationListed: async () => true,
    colleague: async () => "",
    isTooLarge: () => false,
    knownColleague: () => undefined,
  }
  const prepared = await record.prepare(ada, newMutation(), reads)
  if (prepared.kind !== "send") throw new Error(prepared.kind)
  await prepared.storeOutcome({ kind: "success", status: 200, replayed: false, body: answer })
}

/** What takes longer in a longer record: the verification of the chain, and searches. */
async function benchLength(): Promise<void> {
  await fill(database)
  console.log(`\n| at ${ROWS} rows more | ms |\n|---|---:|`)
  const time = async (name: string, work: () => Promise<unknown>) => {
    const began = performance.now()
    await work()
    console.log(`| ${name} | ${(performance.now() - began).toFixed(1)} |`)
  }
  await time("the chain, verified from its first row", () => verify(database))
  await time("the first page", () => record.list(""))
  await time("the first page of one person", () => record.list("person=ada"))
  await time("the entries of one Work", () => record.list("work=work_77"))
  await time("the first page of refusals, where there are none", () => record.list("outcome=refused"))
  await time("all decisions", () => record.decisionsAfter(0))
  await time("the decisions since the last read", () => record.decisionsAfter(Number.MAX_SAFE_INTEGER))
  await time("a decision", decide)
  await benchReports()
}

/** The export and the reports of all rows. The process has the store, the reader and the writer, so its memory is all that they take. */
async function benchReports(): Promise<void> {
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
  const report = async (format: string) => (await record.report(`from=${day(-1)}&to=${day(1)}&format=${format}`)).parts
  console.log(`\n| all of ${ROWS} rows | ms | MB of text | MB of memory more, at most |\n|---|---:|---:|---:|`)
  for (const [name, begin] of [
    ["the export", () => record.lines("")],
    ["a report as CSV", () => report("csv")],
    ["a report as HTML", () => report("html")],
  ] as const) {
    const [began, before] = [performance.now(), process.memoryUsage.rss()]
    let [most, length] = [before, 0]
    for await (const part of await begin()) {
      length += part.length
      most = Math.max(most, process.memoryUsage.rss())
    }
    const figures = [performance.now() - began, length / 1_000_000, (most - before) / 1_000_000]
    console.log(`| ${name} | ${figures.map((figure) => figure.toFixed(0)).join(" | ")} |`)
  }
}

function fill(into: Database): Promise<void> {
  return inRecord({ database: into, onStored: () => undefined }, async ({ append }) => {
    for (let turn = 0; turn < ROWS / 2; turn += 1) {
      const intent = await append(intentOf(turn))
      const outcome = { kind: "outcome", intent: intent.sequence, outcome: "recorded", status: 200 } as const
      await append({ ...outcome, replayed: false, service_actor: "sa_demo" })
    }
  })
}

function intentOf(turn: number): IntentRow {
  return {
    kind: "intent",
    person: `person ${turn % 50}`,
    roles: ["approver"],
    operation: "resolveWorkApproval",
    work_id: `work_${turn}`,
    item_id: `approval_${turn}`,
    decision: "approve",
    version: 1n,
    summary: approval.summary,
    destination: approval.destination,
    subject: approval.subject,
    request_id: `request ${turn}`,
    key_hash: randomUUID(),
    input_hash: randomUUID(),
  }
}
