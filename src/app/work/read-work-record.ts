import type { Approval, Artifact, Attention } from "../../contract/resources.ts"
import { api, dataOf } from "../client/api.ts"
import { readAnswered } from "../inbox/item-entries.ts"
import { DeskError } from "../client/desk-error.ts"

/** A part of a record: what the service says now, or why it could not be read. */
export type RecordPart<Item> = { readonly items: readonly Item[] } | { readonly unread: string }

/** What belongs to a Work beside itself. `answered` is what was answered from this browser: the API lists open ones only. */
export type WorkRecordParts = {
  readonly attention: RecordPart<Attention>
  readonly answered: readonly Attention[]
  readonly approvals: RecordPart<Approval>
  readonly artifacts: RecordPart<Artifact>
}

/** Reads what a Work's record needs. A part that cannot be read says so and does not fail the rest. */
export async function readWorkRecord(id: string): Promise<WorkRecordParts> {
  const params = { path: { id } }
  const [attention, approvals, artifacts] = await Promise.all([
    readPart(dataOf(api.GET("/api/v1/work/{id}/attention", { params }))),
    readPart(dataOf(api.GET("/api/v1/work/{id}/approvals", { params }))),
    readPart(dataOf(api.GET("/api/v1/work/{id}/artifacts", { params }))),
  ])
  const answered = readAnswered(id)
  return { attention, answered, approvals, artifacts }
}

async function readPart<Item>(answer: Promise<{ data: Item[] }>): Promise<RecordPart<Item>> {
  try {
    return { items: (await answer).data }
  } catch (error) {
    if (!(error instanceof DeskError)) throw error
    return { unread: error.message }
  }
}
