import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { answerOf } from "../../../platform/http/testing/answer-of.ts"
import type { Session } from "../../people/people-interface.ts"
import { changedDatabase, folderForTest } from "../../store/testing/stores.ts"
import type { ChooseEntries } from "../entries.ts"
import { inRecord } from "../hash-chain.ts"
import { archiveRows } from "../record-archive.ts"
import type { IntentRow, OutcomeRow } from "../record-rows.ts"
import { readReport } from "../testing/parse-csv.ts"
import {
  ada,
  approval,
  ben,
  creation,
  decided,
  DecidingDesk,
  decision,
  describeDesks,
  sqliteDesk,
  success,
  TWO,
} from "../testing/deciding.ts"

const ID = "6f0d5a0e-7f3c-4c37-9c66-0f4c1f0f3a11"
const YEAR = "from=2026-01-01&to=2026-12-31"

type Viewer = { readonly name: string; readonly choose: ChooseEntries | undefined }

async function reportOf({ record }: DecidingDesk, query: string, viewer?: Viewer) {
  const { parts } = await record.report(`format=csv&${query}`, viewer)
  return readReport((await Array.fromAsync(parts)).join(""))
}

const htmlOf = async ({ record }: DecidingDesk, query = YEAR) =>
  (await Array.fromAsync((await record.report(`format=html&${query}`)).parts)).join("")

/** Sets the time of the rows that follow. */
function setTime(at: string): void {
  vi.useFakeTimers({ toFake: ["Date"] })
  vi.setSystemTime(at)
  onTestFinished(() => void vi.useRealTimers())
}

const decisionOf = (itemId: string, more: Parameters<typeof decision>[0] = {}) => decision({ itemId, ...more })

async function decide(desk: DecidingDesk, by: Session, itemId: string, more: Parameters<typeof decision>[0] = {}) {
  desk.approvals = [approval({ id: itemId })]
  await desk.send(by, decisionOf(itemId, more), decided)
}

const rowsOf = ({ lines }: Awaited<ReturnType<typeof reportOf>>) =>
  lines.flatMap(({ section, row }) => (section === "chain" || row === undefined ? [] : [`${section} ${row}`]))

describeDesks("a report", ({ newDesk }) => {
  /** A desk at which everything happened that a report has. */
  async function usedDesk() {
    setTime("2026-11-21T12:00:00Z")
    const desk = await newDesk()
    await desk.send(ada, creation(), success({ id: "work_1" }, { status: 201 }))
    await decide(desk, ben, "first", { together: ID })
    await decide(desk, ben, "second", { together: ID })
    await decide(desk, ada, "third", { decide: "decline", wantsChange: true })
    const answer = { ...decision(), operation: "resolveWorkAttention", itemId: "question" } as const
    const asked = { title: "Which month?", created_at: "2026-11-21T11:00:00Z" }
    await desk.send(ada, answer, success(asked))
    desk.rules(TWO)
    desk.approvals = [approval()]
    await desk.holds(ben, decision())
    await desk.withdraw(ben)
    await desk.record.freezes.freeze(ben.person, { colleague: "analyst", reason: "It repeats" }, randomUUID())
    await desk.record.freezes.unfreeze(ben.person, "analyst", randomUUID())
    const away = { about: "ada", stand_in: "ben", from: "2026-11-22T08:00:00Z", until: "2026-11-23T08:00:00Z" }
    const action = { operation: "setAway", request_id: "r", ...away } as const
    await desk.record.recordAction(ada, action, async () => "stored")
    return desk
  }

  test("lists what happened in its period, with totals and the state of the chain", async () => {
    const desk = await usedDesk()
    const { title, lines } = await reportOf(desk, YEAR)
    expect(title).toBe("Workdesk record from 2026-01-01 to 2026-12-31 (UTC), the whole record")
    const about = { colleague: "analyst", work: "work_1", destination: "payments@bank.example", version: "1" }
    const asked = { asked_utc: "2026-11-21 10:00:00", took_seconds: "7200", rules: "none" }
    expect(lines).toMatchObject([
      {
        section: "decision",
        row: "3",
        person: "Ben",
        action: "approved",
        together: "with 1 other",
        ...about,
        ...asked,
      },
      { section: "decision", row: "5", at_utc: "2026-11-21 12:00:00", together: "with 1 other" },
      { section: "decision", row: "7", person: "Ada", action: "declined, asked for a change", together: "alone" },
      { section: "decision", row: "11", outcome: "held for more approvals", rules: "destination *@bank.example" },
      { section: "decision", row: "13", action: "withdrew the approval", outcome: "recorded" },
      { section: "answer", row: "9", summary: "Which month?", took_seconds: "3600", colleague: "analyst" },
      { section: "delegation", row: "1", person: "Ada", summary: "October", colleague: "analyst" },
      { section: "freeze", row: "15", person: "Ben", action: "froze", colleague: "analyst", summary: "It repeats" },
      { section: "freeze", row: "17", action: "ended the freeze" },
      { section: "absence", row: "19", away_person: "Ada", stand_in: "Ben", until_utc: "2026-11-23 08:00:00" },
      { section: "total by person", person: "Ada", action: "asked for a change", count: "1" },
      { section: "total by person", person: "Ada", action: "answered", count: "1" },
      { section: "total by person", person: "Ada", action: "delegated", count: "1" },
      { section: "total by person", person: "Ada", action: "absences", count: "1" },
      { section: "total by person", person: "Ben", action: "approved", count: "2" },
      { section: "total by person", person: "Ben", action: "held", count: "1" },
      { section: "total by person", person: "Ben", action: "withdrawn", count: "1" },
      { section: "total by person", person: "Ben", action: "freezes", count: "1" },
      { section: "total by person", person: "Ben", action: "freezes ended", count: "1" },
      { section: "total by colleague", colleague: "analyst", action: "approved", count: "2" },
      { action: "asked for a change", count: "1" },
      { action: "held", count: "1" },
      { action: "withdrawn", count: "1" },
      { action: "answered", count: "1" },
      { action: "delegated", count: "1" },
      { action: "freezes", count: "1" },
      { action: "freezes ended", count: "1" },
      { section: "chain", row: "20", count: "20", action: "complete", hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
    const [first] = lines
    expect(first?.["content_hash"]).toMatch(/^sha256:[0-9a-f]{64}$/)
    const html = await htmlOf(desk)
    for (const text of ["Decisions", "with 1 other", "2 hours", "It repeats", "Which month?", "Complete, verified on"])
      expect(html).toContain(text)
  })

  test("is about what its filters choose, and says so in its first line", async () => {
    const desk = await usedDesk()
    const found: Readonly<Record<string, readonly number[]>> = {
      "person=ben": [3, 5, 11, 13, 15, 17],
      "operation=resolveWorkApproval": [3, 5, 7, 11],
      "operation=setAway": [19],
      "item=first": [3],
      "work=work_1&outcome=held": [11],
      "outcome=unknown": [],
      "colleague=analyst": [3, 5, 7, 11, 13, 9, 1, 15, 17],
      "colleague=other": [],
    }
    for (const [filter, rows] of Object.entries(found)) {
      const { title, lines } = await reportOf(desk, `${YEAR}&${filter}`)
      const listed = lines.flatMap(({ section, row }) => (section === "chain" || row === undefined ? [] : Number(row)))
      expect(listed, filter).toEqual(rows)
      expect(title).toContain(`, only ${filter.replace("=", " ").replace("&", ", ").replace("=", " ")}`)
      expect(lines.at(-1)).toMatchObject({ section: "chain", row: "20" })
    }
  })

  test("has whole days in UTC, the last one included, and its rows in the order of their time", async () => {
    setTime("2028-02-28T23:59:59.999Z")
    const desk = await newDesk()
    await decide(desk, ada, "before")
    setTime("2028-02-29T00:00:00.000Z")
    await decide(desk, ada, "first")
    // In Berlin, summer time begins in the next month at this hour. UTC has none.
    setTime("2028-03-26T01:30:00.000Z")
    await decide(desk, ada, "summer")
    // The clock goes back.
    setTime("2028-03-26T01:10:00.000Z")
    await decide(desk, ada, "clock")
    setTime("2028-03-31T23:59:59.999Z")
    await decide(desk, ada, "last")
    setTime("2028-04-01T00:00:00.000Z")
    await decide(desk, ada, "after")
    const items = async (query: string) =>
      (await reportOf(desk, query)).lines.flatMap(({ item }) => (item === undefined ? [] : [item]))
    expect(await items("from=2028-02-29&to=2028-03-31")).toEqual(["first", "clock", "summer", "last"])
    expect(await items("from=2028-02-29&to=2028-02-29")).toEqual(["first"])
    expect(await items("from=2027-01-01&to=2027-12-31")).toEqual([])
  })

  test("of more entries than one statement reads has each of them once", async () => {
    const desk = await newDesk()
    const entries = 1_234
    await inRecord({ database: desk.database, onStored: () => undefined }, async ({ append }) => {
      for (let number = 0; number < entries; number++) for (const row of rowsAt(number)) await append(row)
    })
    const { lines } = await reportOf(desk, `from=2026-01-01&to=2027-01-01`)
    const rows = lines.filter(({ section }) => section === "decision").map(({ row }) => Number(row))
    expect(rows).toEqual(Array.from({ length: entries }, (_, index) => index * 2 + 1))
    expect(lines.find(({ section }) => section === "total by colleague")).toMatchObject({ count: String(entries) })
    const [odd] = (await reportOf(desk, `from=2026-01-01&to=2027-01-01&person=person_1`)).lines
    expect(odd).toMatchObject({ row: "3" })
  })

  test("of rows that an older desk has written says what they don't have", async () => {
    const desk = await newDesk()
    const old: IntentRow = { ...intentOf(0), colleague: undefined, decision: "approve" }
    await inRecord(
      { database: desk.database, onStored: () => undefined },
      async ({ append }) => void (await append(old)),
    )
    const { lines } = await reportOf(desk, "from=2026-01-01&to=2027-01-01")
    expect(lines).toMatchObject([
      { rules: "not recorded", asked_utc: "not recorded", outcome: "outcome unknown" },
      { section: "total by person", action: "not confirmed" },
      { section: "total by colleague", colleague: "not recorded" },
      { section: "chain" },
    ])
    const filtered = await reportOf(desk, "from=2026-01-01&to=2027-01-01&colleague=analyst")
    expect(filtered.lines).toMatchObject([
      { section: "note", summary: "Entries without a recorded colleague, which this report doesn't list: 1." },
      { section: "chain" },
    ])
  })

  test("of a period that was archived names the archive, also when that happens while the report is written", async () => {
    setTime("2026-01-31T12:00:00Z")
    const desk = await newDesk()
    await decide(desk, ada, "january")
    setTime("2026-02-01T12:00:00Z")
    await decide(desk, ada, "february")
    const file = join(await folderForTest(), "archive.jsonl")
    await archiveRows(desk.database, file, Date.parse("2026-02-01"))
    expect(await answerOf(reportOf(desk, "from=2026-01-31&to=2026-02-28"))).toMatchObject({
      status: 410,
      code: "PROXY_RECORD_ARCHIVED",
      detail: expect.stringContaining("the archive that ends with row 2 of 2026-01-31"),
    })
    expect(rowsOf(await reportOf(desk, "from=2026-02-01&to=2026-02-28"))).toEqual(["decision 3"])
    expect(rowsOf(await reportOf(desk, "from=2025-01-01&to=2025-12-31"))).toEqual([])
    for (let index = 0; index < 150; index++) await decide(desk, ada, `more ${index}`)
    const { parts } = await desk.record.report("from=2026-02-01&to=2026-02-28&format=csv")
    await parts.next()
    setTime("2026-03-05T12:00:00Z")
    await archiveRows(desk.database, `${file}.2`, Date.parse("2026-03-01"))
    expect(await answerOf(Array.fromAsync(parts))).toMatchObject({ code: "PROXY_RECORD_ARCHIVED" })
  })

  test("says which row of the chain was changed, and is refused when a row can't be read", async () => {
    const desk = await usedDesk()
    const [row] = await desk.database.read("SELECT entry FROM record WHERE sequence = 3")
    const entry = String(row?.["entry"])
    const change = (text: string) => desk.database.write("UPDATE record SET entry = ? WHERE sequence = 3", text)
    await change(entry.replace("payments@bank.example", "payments@evil.example"))
    const { lines } = await reportOf(desk, YEAR)
    expect(lines.slice(-2)).toMatchObject([
      { section: "chain", action: "not complete" },
      { section: "chain fault", summary: "Row 3 was changed." },
    ])
    expect(await htmlOf(desk)).toContain('<p class="bad">Row 3 was changed.</p>')
    await change("{}")
    const refused = { status: 500, code: "PROXY_RECORD_UNREADABLE", detail: expect.stringContaining("Row 3") }
    expect(await answerOf(reportOf(desk, YEAR))).toMatchObject(refused)
  })

  test("leaves out what the person doesn't see, and is never a part of it", async () => {
    const desk = await usedDesk()
    const choose: ChooseEntries = async (entries) => ({
      entries: entries.filter(({ item_id: item }) => item !== "second"),
      complete: true,
    })
    const { title, lines } = await reportOf(desk, YEAR, { name: "Ben \u202EOkafor", choose })
    expect(title).toBe("Workdesk record from 2026-01-01 to 2026-12-31 (UTC), as seen by Ben [U+202E]Okafor")
    expect(lines.some(({ item }) => item === "second")).toBe(false)
    expect(lines[0]).toMatchObject({ row: "3", together: "alone" })
    expect(lines.find(({ action, person }) => action === "approved" && person === "Ben")).toMatchObject({ row: "3" })
    expect(lines.find(({ section, action }) => section === "total by person" && action === "approved")).toMatchObject({
      count: "1",
    })
    const unknown: ChooseEntries = async (entries) => ({ entries, complete: false })
    const refused = { status: 503, code: "PROXY_RECORD_INCOMPLETE" }
    expect(await answerOf(reportOf(desk, YEAR, { name: "Ben", choose: unknown }))).toMatchObject(refused)
    let calls = 0
    const later: ChooseEntries = async (entries) => ({ entries, complete: ++calls < 4 })
    const { parts } = await desk.record.report(`${YEAR}&format=csv`, { name: "Ben", choose: later })
    expect(await answerOf(Array.fromAsync(parts))).toMatchObject(refused)
  })

  test("ends with an error when the store goes away, and is refused while the store is away", async () => {
    const desk = await usedDesk()
    let left = Number.POSITIVE_INFINITY
    const database = changedDatabase(desk.database, {
      read: (sql, ...values) => (left-- > 0 ? desk.database.read(sql, ...values) : Promise.reject(new Error("away"))),
    })
    const failing = new DecidingDesk(database)
    const { parts } = await failing.record.report(`${YEAR}&format=csv`)
    left = 3
    await expect(Array.fromAsync(parts)).rejects.toThrow("away")
    await expect(failing.record.report(`${YEAR}&format=csv`)).rejects.toThrow("away")
  })
})

const about = { person: "person_0", roles: [], work_id: "work_1", item_id: "a", request_id: "r", input_hash: "i" }

function intentOf(number: number): IntentRow {
  return { kind: "intent", ...about, operation: "resolveWorkApproval", key_hash: String(number), colleague: "analyst" }
}

function rowsAt(number: number): readonly (IntentRow | OutcomeRow)[] {
  const intent = { ...intentOf(number), person: `person_${number % 2}`, decision: "approve" } as const
  return [intent, { kind: "outcome", intent: number * 2 + 1, outcome: "recorded", status: 200 }]
}

test.each([
  ["from=2026-01-01", "to is missing"],
  ["from=2026-02-01&to=2026-01-31", "from must not be after to."],
  ["from=2026-01-01&to=2027-01-02", "The period must be at most 366 days long."],
  ["from=2027-02-29&to=2027-03-01", "from must be a day such as 2026-01-31."],
  ["from=2026-01&to=2026-02-01", "from must be a day"],
  ["from=2026-01-01T00:00:00Z&to=2026-02-01", "from must be a day"],
  ["from=2026-01-01&to=2026-02-01&to=2026-02-02", "to appears twice."],
  ["from=2026-01-01&to=2026-02-01&format=pdf", "format"],
  ["from=2026-01-01&to=2026-02-01&format=csv&operation=takeItem", "operation has an invalid value."],
  ["from=2026-01-01&to=2026-02-01&format=csv&outcome=maybe", "outcome"],
  ["from=2026-01-01&to=2026-02-01&format=csv&colleague=", "colleague"],
])("GET /desk/record/report refuses %s", async (query, detail) => {
  const desk = await sqliteDesk()
  const format = query.includes("format=") ? "" : "&format=csv"
  const refused = { status: 400, code: "PROXY_QUERY_INVALID", detail: expect.stringContaining(detail) }
  expect(await answerOf(desk.record.report(query + format))).toMatchObject(refused)
})

test("a period of 366 days is accepted", async () => {
  const desk = await sqliteDesk()
  expect((await reportOf(desk, "from=2026-01-01&to=2027-01-01")).lines).toMatchObject([{ section: "chain", row: "0" }])
  expect((await reportOf(desk, "from=2028-01-01&to=2028-12-31")).lines).toHaveLength(1)
})
