import { stringifyJson } from "../../contract/int64.ts"
import type { CreateWorkRequest } from "../../contract/resources.ts"
import { requestOf } from "./create-request.ts"
import { forgetInput, inputContents } from "./uploads.ts"
import { changeWorkDraft, readWorkDraft, removeWorkDraft, type WorkDraft } from "./work-draft.ts"

/**
 * Removes the draft whose Work was created from the request `sent`, with its uploads. The form is locked while the request is
 * sent; what the person changed after an unknown outcome is no part of that Work: a changed field or an input that was not sent stays as a new draft.
 *
 * @param colleagueOf gives the id of the colleague whom a text in the field `Colleague` names
 * @returns whether a draft stays
 */
export function endDraft(draftId: string, sent: CreateWorkRequest, colleagueOf: (text: string) => string): boolean {
  const draft = readWorkDraft()
  // Another tab has begun a new draft already.
  if (draft.id !== draftId) return false
  const attached = new Set(sent.input_upload_ids)
  const unsent = draft.inputs.filter(({ uploadId }) => uploadId === undefined || !attached.has(uploadId))
  for (const input of draft.inputs) if (!unsent.includes(input)) forgetInput(input)
  void inputContents.removeOthers(unsent.map(({ id }) => id))
  if (unsent.length === 0 && !hasChanged(draft, sent, colleagueOf)) {
    removeWorkDraft()
    return false
  }
  changeWorkDraft(() => ({ id: crypto.randomUUID(), inputs: unsent }))
  return true
}

function hasChanged(draft: WorkDraft, sent: CreateWorkRequest, colleagueOf: (text: string) => string): boolean {
  const colleague = draft.colleague === undefined ? sent.colleague_id : colleagueOf(draft.colleague)
  const { input_upload_ids: _, ...fields } = sent
  return stringifyJson(requestOf({ ...draft, inputs: [] }, colleague)) !== stringifyJson(fields)
}
