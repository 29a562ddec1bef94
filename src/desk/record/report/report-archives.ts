/** Finds the archives that contain rows of a period. Their texts are in files, so a report about them would be incomplete. */
import * as v from "valibot"
import type { Reader } from "../../store/database.ts"
import { select } from "../../store/tables.ts"
import { readCheckpoints } from "../hash-chain.ts"
import type { Archive } from "../record-refusals.ts"
import type { Period } from "./report-query.ts"

const atRow = v.object({ at: v.number() })

/** The archives whose first or last row, or any row between, was written in the period, oldest first. @throws StoreUnavailableError */
export async function findArchives(
  store: Reader,
  { begin, end }: Pick<Period, "begin" | "end">,
): Promise<readonly Archive[]> {
  const found: Archive[] = []
  const checkpoints = await readCheckpoints(store)
  for (const [index, { sequence }] of checkpoints.entries()) {
    const before = checkpoints[index - 1]
    if (before === undefined) continue
    // The rows stay in the store without their texts.
    const [first] = await select(
      store,
      atRow,
      "SELECT at FROM record WHERE sequence > ? ORDER BY sequence LIMIT 1",
      before.sequence,
    )
    const [last] = await select(
      store,
      atRow,
      "SELECT at FROM record WHERE sequence <= ? ORDER BY sequence DESC LIMIT 1",
      sequence,
    )
    if (first !== undefined && last !== undefined && first.at < end && last.at >= begin)
      found.push({ sequence, lastAt: new Date(last.at).toISOString() })
  }
  return found
}
