/** Who answered and decided what, from the record: nobody is notified of their own actions, and everybody who took part in a Work is notified of its end. */
import * as v from "valibot"
import { OUTCOME } from "../record/gate/attempt-state.ts"
import { readIntent } from "../record/record-rows.ts"
import type { Reader } from "../store/database.ts"
import { inChunks, placesFor, select } from "../store/tables.ts"
import type { WorkStep } from "./work-steps.ts"

/** What a person did to an item. */
export type WorkAction = {
  readonly itemId: string
  readonly personId: string
  /** Undefined: the action is an answer, or its row is archived. */
  readonly decision: string | undefined
  /** Whether the service has confirmed the action. If not, the action may have ended the item all the same. */
  readonly isConfirmed: boolean
}

const actionRow = v.object({
  workId: v.string(),
  itemId: v.string(),
  personId: v.string(),
  outcome: v.string(),
  entry: v.string(),
})

const WORKS_PER_READ = 50

/** The actions in some Works, by the id of the Work. `|| ''` keeps SQLite from searching by the operation. @throws StoreUnavailableError */
export async function readActions(
  store: Reader,
  workIds: readonly string[],
): Promise<ReadonlyMap<string, readonly WorkAction[]>> {
  const rows: v.InferOutput<typeof actionRow>[] = []
  for (const some of inChunks(workIds, WORKS_PER_READ)) {
    const found = await select(
      store,
      actionRow,
      `SELECT work_id, item_id, person_id, entry, coalesce(${OUTCOME}, 'unknown') AS outcome
       FROM record AS asked WHERE work_id IN (${placesFor(some)})
         AND operation || '' IN ('resolveWorkApproval', 'resolveWorkAttention') AND person_id <> 'local' AND item_id IS NOT NULL
         AND coalesce(${OUTCOME}, 'unknown') <> 'refused' AND NOT EXISTS (
           SELECT 1 FROM record AS withdrawn WHERE withdrawn.item_id = asked.item_id AND withdrawn.work_id = asked.work_id
             AND withdrawn.person_id = asked.person_id AND withdrawn.operation = 'withdrawApproval'
             AND withdrawn.sequence > asked.sequence)`,
      ...some,
    )
    rows.push(...found)
  }
  const works = Map.groupBy(rows, ({ workId }) => workId)
  return new Map(works.entries().map(([workId, ofWork]) => [workId, toActions(ofWork)]))
}

/** A held approve counts as an action once the last approve of its version was sent, because that one was sent for everybody. */
function toActions(rows: readonly v.InferOutput<typeof actionRow>[]): readonly WorkAction[] {
  const attempts = rows.map(({ entry, ...row }) => {
    const { decision, version } = readIntent(entry) ?? {}
    return { ...row, decision, version }
  })
  const held = attempts.filter(({ outcome }) => outcome === "held")
  const sent = attempts.filter(({ outcome }) => outcome !== "held")
  return sent.flatMap(({ itemId, personId, decision, version, outcome }) => {
    const others = held.filter((one) => decision === "approve" && one.itemId === itemId && one.version === version)
    const people = [personId, ...others.map((one) => one.personId)]
    return people.map((id) => ({ itemId, personId: id, decision, isConfirmed: outcome === "recorded" }))
  })
}

/** Whether a person's action may be the cause of a step. */
export function mayBeAction({ itemId, decision }: WorkAction, { step, itemId: ended }: WorkStep): boolean {
  return itemId === ended && (decision === undefined || decision === (step === "approved" ? "approve" : "decline"))
}
