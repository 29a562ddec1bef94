import type { Approval, Artifact, Attention } from "../../contract/resources.ts"
import { api, dataOf } from "../client/api.ts"
import { readAnswered } from "../inbox/item-entries.ts"
import { DeskError } from "../client/desk-error.ts"

/** A part of the export of a Work: its items, or why they could not be read. */
export type ExportPart<Item> = { readonly items: readonly Item[] } | { readonly unread: string }

/** The items of a Work. `answered` are those that were answered from this browser, because the API lists only open clarifications. */
export type WorkExportParts = {
  readonly attention: ExportPart<Attention>
  readonly answered: readonly Attention[]
  readonly approvals: ExportPart<Approval>
  readonly artifacts: ExportPart<Artifact>
}

/** Reads the items of a Work. A part that cannot be read becomes `unread`, and the others are returned. */
export async function readWorkExport(id: string): Promise<WorkExportParts> {
  const params = { path: { id } }
  const [attention, approvals, artifacts] = await Promise.all([
    readPart(dataOf(api.GET("/api/v1/work/{id}/attention", { params }))),
    readPart(dataOf(api.GET("/api/v1/work/{id}/approvals", { params }))),
    readPart(dataOf(api.GET("/api/v1/work/{id}/artifacts", { params }))),
  ])
  const answered = readAnswered(id)
  return { attention, answered, approvals, artifacts }
}

async function readPart<Item>(answer: Promise<{ data: Item[] }>): Promise<ExportPart<Item>> {
  try {
    return { items: (await answer).data }
  } catch (error) {
    if (!(error instanceof DeskError)) throw error
    return { unread: error.message }
  }
}
