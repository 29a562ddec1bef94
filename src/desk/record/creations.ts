/** For the rules: who created a Work or an upload at this desk, and which createWork may have created Work although its answer was lost. */
import type { Creation } from "../people/rules/rules.ts"
import type { Reader, Statements } from "../store/database.ts"
import { NOBODY, peopleOf } from "./creators-and-deciders.ts"
import type { AppendedRow, IntentRow, OutcomeRow } from "./record-rows.ts"

/** Remembers a createWork whose intent was just stored. Until it is settled, Work without a known creator may be the person's. */
export async function keepOpenCreation({ write }: Statements, row: AppendedRow): Promise<void> {
  if (row.kind !== "intent" || row.operation !== "createWork") return
  const { sequence, person, key_hash } = row
  await write("INSERT INTO open_creation (intent, person_id, key_hash) VALUES (?, ?, ?)", sequence, person, key_hash)
}

/** Forgets a createWork whose outcome is known: for `recorded` every attempt under the key, else only this one, because an earlier may have arrived. */
export async function settleCreation(
  { write }: Statements,
  { operation, person, key_hash }: IntentRow,
  sequence: number,
  { outcome, unsent }: Pick<OutcomeRow, "outcome" | "unsent">,
): Promise<void> {
  if (operation !== "createWork") return
  if (outcome === "recorded") {
    await write("DELETE FROM open_creation WHERE key_hash = ? AND person_id = ?", key_hash, person)
  } else if (outcome === "refused" || unsent === true) {
    await write("DELETE FROM open_creation WHERE intent = ?", sequence)
  }
}

/** Looks up who created a Work through this desk, and whether the answer to a createWork of the person was lost. */
export async function creationOf(store: Reader, workId: string, personId: string): Promise<Creation> {
  const { creators } = (await peopleOf(store, [workId])).get(workId) ?? NOBODY
  const lost = await store.read("SELECT intent FROM open_creation WHERE person_id = ? LIMIT 1", personId)
  return { creators, mayHaveLostCreation: lost.length > 0 }
}

/** The ids of the persons who created an upload at this desk. `|| ''` keeps SQLite from searching by the outcome. */
export async function uploadersOf({ read }: Reader, uploadId: string): Promise<readonly string[]> {
  const rows = await read(
    `SELECT DISTINCT asked.person_id FROM record AS asked JOIN record AS answered ON answered.intent = asked.sequence
     WHERE answered.item_id = ? AND answered.outcome || '' = 'recorded' AND asked.operation = 'createInputUpload'
       AND asked.person_id <> 'local'`,
    uploadId,
  )
  return rows.map((row) => String(row["person_id"]))
}
