/** The totals of a report: how often each person did what, and about which colleague. */
import type { RecordEntry } from "../../../contract/desk-work.ts"
import { hasColleague } from "./report-lines.ts"

/** What is counted, in this order. */
export const TOTAL_KINDS = [
  "approved",
  "declined",
  "asked for a change",
  "held",
  "withdrawn",
  "answered",
  "delegated",
  "freezes",
  "freezes ended",
  "absences",
  "not confirmed",
] as const
export type TotalKind = (typeof TOTAL_KINDS)[number]

export type Total = {
  readonly name: string
  /** The id of a person. */
  readonly id: string | undefined
  readonly counts: ReadonlyMap<TotalKind, number>
}

/** Of more people or colleagues, the others are counted together. Colleagues are texts from outside, which may all differ. */
const NAMES_MAX = 2_000
const OTHERS = "all others"
const NOT_RECORDED = "not recorded"

type Counted = { readonly name: string; readonly id: string | undefined; readonly counts: Map<TotalKind, number> }

export class Totals {
  readonly #people = new Map<string, Counted>()
  readonly #colleagues = new Map<string, Counted>()

  /** Counts an entry. The replay of a recorded request isn't another action. */
  add(entry: RecordEntry): void {
    const kind = kindOf(entry)
    if (kind === undefined) return
    const { person, colleague } = entry
    count(this.#people, person.id, { name: person.name, id: person.id }, kind)
    if (colleague !== undefined) count(this.#colleagues, `of ${colleague}`, { name: colleague, id: undefined }, kind)
    else if (hasColleague(entry)) count(this.#colleagues, NOT_RECORDED, { name: NOT_RECORDED, id: undefined }, kind)
  }

  get people(): readonly Total[] {
    return sorted(this.#people)
  }

  get colleagues(): readonly Total[] {
    return sorted(this.#colleagues)
  }
}

function count(totals: Map<string, Counted>, key: string, named: Omit<Counted, "counts">, kind: TotalKind): void {
  const isFull = totals.size >= NAMES_MAX && !totals.has(key)
  const [kept, shown] = isFull ? [OTHERS, { name: OTHERS, id: undefined }] : [key, named]
  const total = totals.get(kept) ?? { ...shown, counts: new Map<TotalKind, number>() }
  total.counts.set(kind, (total.counts.get(kind) ?? 0) + 1)
  totals.set(kept, total)
}

const sorted = (totals: ReadonlyMap<string, Counted>) =>
  [...totals.values()].toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))

const KINDS: Readonly<Partial<Record<RecordEntry["operation"], TotalKind>>> = {
  withdrawApproval: "withdrawn",
  resolveWorkAttention: "answered",
  createWork: "delegated",
  freeze: "freezes",
  unfreeze: "freezes ended",
  setAway: "absences",
}

function kindOf(entry: RecordEntry): TotalKind | undefined {
  const { operation, decision, wants_change: wantsChange, outcome, replayed } = entry
  if (replayed === true) return undefined
  if (outcome === "held") return "held"
  if (outcome !== "recorded") return "not confirmed"
  if (operation !== "resolveWorkApproval") return KINDS[operation]
  return wantsChange === true ? "asked for a change" : decision === "approve" ? "approved" : "declined"
}
