/**
 * The createWork requests that may have created Work without this desk knowing which. While a person has one, Work without a known creator may
 * be theirs.
 */
import type { Statements } from "../store/database.ts"
import type { ChainRow, IntentRow, OutcomeRow } from "./rows.ts"

/** Remembers a createWork whose intent was just stored. */
export async function keepOpenCreation({ write }: Statements, row: ChainRow): Promise<void> {
  if (row.kind !== "intent" || row.operation !== "createWork") return
  const { sequence, person, key_hash } = row
  await write("INSERT INTO open_creation (intent, person_id, key_hash) VALUES (?, ?, ?)", sequence, person, key_hash)
}

/**
 * Forgets a createWork whose outcome says what became of it. A recorded one settles every attempt under its key, because a key creates one
 * Work. An attempt that never left the desk settles itself alone: an earlier one may have arrived.
 */
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
