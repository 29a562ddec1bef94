/** Who created, answered and decided what at this desk, in memory. Only new rows of the record are read. */
import * as v from "valibot"
import { parseObject } from "../../platform/http/json-object.ts"
import type { Reader } from "../store/database.ts"
import { optional, selectInPages } from "../store/tables.ts"
import { sharedRuns } from "./shared-runs.ts"

/** What a person did in a Work, as the service has confirmed it. */
export type RecordedAction = {
  /** The sequence of its outcome in the record. */
  readonly sequence: number
  readonly personId: string
  readonly itemId: string | undefined
  /** `held`: an approve that the desk keeps. `decided`: the record no longer has the decision. */
  readonly kind: "created" | "answered" | "approved" | "declined" | "held" | "decided"
  /** When the desk had received the request, and when the service had answered, in milliseconds since 1970. */
  readonly begunAt: number
  readonly at: number
}

const actionRow = v.object({
  sequence: v.number(),
  begunAt: v.number(),
  at: v.number(),
  workId: optional(v.string()),
  itemId: optional(v.string()),
  personId: optional(v.string()),
  operation: v.string(),
  outcome: v.string(),
  entry: v.string(),
})

/** How many Works are kept, those with the newest actions. More than a desk watches, or keeps as the newest done Work. */
const WORKS_MAX = 50_000

/** `|| ''` keeps SQLite from searching by the outcome that nearly all rows share, so that it reads them in their order. */
const ACTIONS = `
  SELECT answered.sequence, asked.at AS begun_at, answered.at, coalesce(answered.work_id, asked.work_id) AS work_id, asked.item_id,
    asked.person_id, asked.operation, answered.outcome,
    CASE WHEN asked.operation = 'resolveWorkApproval' THEN asked.entry ELSE '' END AS entry
  FROM record AS answered JOIN record AS asked ON asked.sequence = answered.intent
  WHERE answered.sequence > ? AND answered.outcome || '' IN ('recorded', 'held')
    AND asked.operation || '' IN ('createWork', 'resolveWorkApproval', 'resolveWorkAttention')
  ORDER BY answered.sequence`

export class RecordedActions {
  readonly #store: Reader
  readonly #worksMax: number
  /** The Work with the newest action is the last. */
  readonly #byWork = new Map<string, RecordedAction[]>()
  #until = 0

  constructor(store: Reader, worksMax = WORKS_MAX) {
    this.#store = store
    this.#worksMax = worksMax
  }

  /** The sequence of the newest action that was read. */
  get until(): number {
    return this.#until
  }

  /** Reads the actions since the last call. @throws StoreUnavailableError */
  readonly refresh = sharedRuns(async () => {
    const rows = selectInPages(this.#store, actionRow, ACTIONS, (last) => [last?.sequence ?? this.#until])
    for await (const { workId, personId, ...row } of rows) {
      const kind = kindOf(row)
      if (workId !== undefined && personId !== undefined && kind !== undefined) {
        const { sequence, itemId, begunAt, at } = row
        this.#add(workId, { sequence, personId, itemId, kind, begunAt, at })
      }
      this.#until = row.sequence
    }
  })

  /** The actions in a Work, oldest first. */
  of(workId: string): readonly RecordedAction[] {
    return this.#byWork.get(workId) ?? []
  }

  /** Adds an action, and forgets the Work whose last action is the oldest. A replay of a recorded request isn't another action. */
  #add(workId: string, action: RecordedAction): void {
    const { personId, itemId, kind } = action
    const actions = this.#byWork.get(workId) ?? []
    const isSame = (one: RecordedAction) => one.personId === personId && one.itemId === itemId && one.kind === kind
    if (!actions.some(isSame)) actions.push(action)
    this.#byWork.delete(workId)
    this.#byWork.set(workId, actions)
    const [oldest] = this.#byWork.keys()
    if (this.#byWork.size > this.#worksMax && oldest !== undefined) this.#byWork.delete(oldest)
  }
}

function kindOf({
  operation,
  outcome,
  entry,
}: Pick<v.InferOutput<typeof actionRow>, "operation" | "outcome" | "entry">) {
  if (operation === "resolveWorkApproval") {
    if (outcome === "held") return "held"
    const decision = parseObject(entry)?.["decision"]
    return decision === "approve" ? "approved" : decision === "decline" ? "declined" : "decided"
  }
  if (outcome === "held") return undefined
  return operation === "createWork" ? "created" : "answered"
}
