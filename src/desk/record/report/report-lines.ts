/** The sections of a report, and what each entry of the record becomes in them. `report-csv.ts` and `report-html.ts` write the lines. */
import type { NamedPerson } from "../../../contract/desk-people.ts"
import type { RecordEntry, REPORTED_OPERATIONS } from "../../../contract/desk-work.ts"
import { plural } from "../../../contract/plural.ts"
import { formatPatterns } from "../../../contract/rule-patterns.ts"

export type SectionName = "decision" | "answer" | "delegation" | "freeze" | "absence"

export type Section = {
  readonly name: SectionName
  readonly title: string
  readonly operations: readonly (typeof REPORTED_OPERATIONS)[number][]
}

export const SECTIONS: readonly Section[] = [
  { name: "decision", title: "Decisions", operations: ["resolveWorkApproval", "withdrawApproval"] },
  { name: "answer", title: "Answers", operations: ["resolveWorkAttention"] },
  { name: "delegation", title: "Delegations", operations: ["createWork"] },
  { name: "freeze", title: "Freezes", operations: ["freeze", "unfreeze"] },
  { name: "absence", title: "Absences", operations: ["setAway"] },
]

/** One line of a report. Times are in UTC, such as `2026-01-31 09:30:00`. */
export type ReportLine = {
  readonly row?: number | undefined
  readonly at?: string | undefined
  readonly person?: string | undefined
  readonly personId?: string | undefined
  readonly action?: string | undefined
  readonly outcome?: string | undefined
  readonly colleague?: string | undefined
  readonly work?: string | undefined
  readonly item?: string | undefined
  readonly summary?: string | undefined
  readonly destination?: string | undefined
  readonly subject?: string | undefined
  readonly version?: bigint | undefined
  readonly contentHash?: string | undefined
  readonly reason?: string | undefined
  readonly asked?: string | undefined
  /** From when the item was asked until it was decided, in whole seconds. */
  readonly tookSeconds?: number | undefined
  readonly rules?: string | undefined
  readonly together?: string | undefined
  readonly awayPerson?: string | undefined
  readonly awayPersonId?: string | undefined
  readonly standIn?: string | undefined
  readonly standInId?: string | undefined
  readonly from?: string | undefined
  readonly until?: string | undefined
  readonly count?: number | undefined
  readonly hash?: string | undefined
}

const NOT_RECORDED = "not recorded"

/** Makes a line of an entry. */
export function toLine(entry: RecordEntry): ReportLine {
  const { operation, asked_at: askedAt } = entry
  const isDecision = operation === "resolveWorkApproval"
  const isAsked = isDecision || operation === "resolveWorkAttention"
  return {
    row: entry.sequence,
    at: formatTime(entry.at),
    person: entry.person.name,
    personId: entry.person.id,
    action: formatAction(entry),
    outcome: formatOutcome(entry),
    colleague: entry.colleague,
    work: entry.work_id,
    item: entry.item_id,
    summary: entry.summary,
    destination: entry.destination,
    subject: entry.subject,
    version: entry.version,
    contentHash: entry.content_hash,
    reason: entry.reason,
    ...(isAsked && {
      asked: askedAt === undefined ? NOT_RECORDED : formatTime(askedAt),
      tookSeconds: secondsBetween(askedAt, entry.at),
    }),
    ...(isDecision && { rules: formatRules(entry), together: formatTogether(entry) }),
    ...(operation === "setAway" && absenceOf(entry)),
  }
}

/** Whether entries about the operation have a colleague, unless an older desk has written them. */
export const hasColleague = ({ operation }: Pick<RecordEntry, "operation">) =>
  ["resolveWorkApproval", "withdrawApproval", "resolveWorkAttention", "createWork"].includes(operation)

function absenceOf({ about, stand_in: standIn, from, until }: RecordEntry): ReportLine {
  const isEnd = typeof until !== "string"
  const nobody = isEnd ? undefined : "nobody"
  return {
    ...named("awayPerson", about),
    ...(standIn ? named("standIn", standIn) : { standIn: nobody }),
    from: typeof from === "string" ? formatTime(from) : undefined,
    until: isEnd ? undefined : formatTime(until),
  }
}

const named = (member: "awayPerson" | "standIn", person: NamedPerson | undefined) =>
  person && { [member]: person.name, [`${member}Id`]: person.id }

/** The time in UTC, to the second. A text that is no time stays as it is. */
export function formatTime(text: string): string {
  const moment = Date.parse(text)
  return Number.isNaN(moment) ? text : new Date(moment).toISOString().slice(0, 19).replace("T", " ")
}

function secondsBetween(begin: string | undefined, end: string): number | undefined {
  const milliseconds = Date.parse(end) - Date.parse(begin ?? "")
  // The service's clock may be ahead of the desk's.
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, Math.round(milliseconds / 1_000))
}

const ACTIONS: Readonly<Partial<Record<RecordEntry["operation"], string>>> = {
  withdrawApproval: "withdrew the approval",
  resolveWorkAttention: "answered",
  createWork: "delegated",
  freeze: "froze",
  unfreeze: "ended the freeze",
}

function formatAction({ operation, decision, wants_change: wantsChange, until }: RecordEntry): string {
  if (operation === "setAway") return typeof until === "string" ? "set an absence" : "ended the absence"
  if (operation !== "resolveWorkApproval") return ACTIONS[operation] ?? operation
  if (wantsChange === true) return "declined, asked for a change"
  return decision === "approve" ? "approved" : decision === "decline" ? "declined" : "decided"
}

function formatOutcome({ outcome, status, replayed }: RecordEntry): string {
  switch (outcome) {
    case "recorded":
      return replayed === true ? "already recorded" : "recorded"
    case "refused":
      return status === undefined ? "refused" : `refused (${status})`
    case "held":
      return "held for more approvals"
    case "unknown":
      return "outcome unknown"
  }
}

function formatRules({ rules }: RecordEntry): string {
  if (rules === undefined) return NOT_RECORDED
  return rules.length === 0 ? "none" : rules.map(formatPatterns).join("; ")
}

function formatTogether({ together, together_others: others }: RecordEntry): string {
  if (together === undefined) return "alone"
  if (others === undefined) return "together with others"
  return others === 0 ? "alone" : `with ${plural(others, "other")}`
}
