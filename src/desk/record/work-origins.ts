/** The Work that a Work created at this desk replaces, and its inputs. The links stay when the record is archived. */
import * as v from "valibot"
import type { WorkInputs } from "../../contract/desk-work.ts"
import { parseObject } from "../../platform/http/json-object.ts"
import { type Reader, type Statements, storable } from "../store/database.ts"
import { optional, placesFor, select, upsert } from "../store/tables.ts"
import type { Mutation } from "./gate/mutation.ts"
import { readOutcomeRow, type OutcomeRow } from "./record-rows.ts"

/** How many of the Works that replace one Work are listed: the newest. */
const REPLACED_BY_MAX = 100

const created = v.looseObject({ input_upload_ids: v.optional(v.array(v.string()), []) })

/** Stores the origin of a created Work, in the transaction of the outcome. A replay changes nothing. `sequence` is the intent's. */
export async function keepOrigin(
  statements: Statements,
  { operation, insteadOf, body }: Mutation,
  sequence: number,
  { outcome, work_id: workId }: Pick<OutcomeRow, "outcome" | "work_id">,
): Promise<void> {
  if (operation !== "createWork" || outcome !== "recorded" || workId === undefined) return
  const read = v.safeParse(created, body && parseObject(body.toString("utf8")))
  const uploads = read.success ? read.output.input_upload_ids : []
  const row = { workId, insteadOf, uploads: JSON.stringify(uploads), intent: sequence }
  await upsert(statements, "work_origin", { key: ["workId"], kept: ["insteadOf", "uploads", "intent"] }, row)
}

const linkRow = v.object({ workId: v.string(), insteadOf: optional(v.string()) })

/** The Work that a Work replaces. */
export async function findInsteadOf(store: Reader, workId: string): Promise<string | undefined> {
  const sql = "SELECT work_id, instead_of FROM work_origin WHERE work_id = ?"
  return (await select(store, linkRow, sql, storable(workId)))[0]?.insteadOf
}

/** The Work that a Work replaces, and the Works that replace it, oldest first. */
export async function linksOf(
  store: Reader,
  workId: string,
): Promise<{ readonly insteadOf: string | undefined; readonly replacedBy: readonly string[] }> {
  const sql = `SELECT work_id, instead_of FROM work_origin WHERE instead_of = ? ORDER BY intent DESC LIMIT ${REPLACED_BY_MAX}`
  const newest = await select(store, linkRow, sql, storable(workId))
  return { insteadOf: await findInsteadOf(store, workId), replacedBy: newest.map((row) => row.workId).toReversed() }
}

const uploadsRow = v.object({ uploads: v.pipe(v.string(), v.parseJson(), v.array(v.string())) })
const uploadRow = v.object({ itemId: v.string(), entry: v.string() })

/** The uploads of a Work, with their names if the record still has them. Undefined: the Work was created elsewhere, or by an older desk. */
export async function inputsOf(store: Reader, workId: string): Promise<WorkInputs["inputs"]> {
  const sql = "SELECT uploads FROM work_origin WHERE work_id = ?"
  const [origin] = await select(store, uploadsRow, sql, storable(workId))
  if (origin === undefined) return undefined
  if (origin.uploads.length === 0) return []
  const { uploads } = origin
  const named = await select(
    store,
    uploadRow,
    `SELECT answered.item_id, answered.entry FROM record AS answered JOIN record AS asked ON asked.sequence = answered.intent
     WHERE answered.item_id IN (${placesFor(uploads)}) AND answered.outcome = 'recorded'
       AND asked.operation = 'createInputUpload'`,
    ...uploads,
  )
  const names = new Map(named.map(({ itemId, entry }) => [itemId, readOutcomeRow(entry)?.summary]))
  return uploads.map((upload) => {
    const name = names.get(upload)
    return { upload, ...(name !== undefined && { name }) }
  })
}
