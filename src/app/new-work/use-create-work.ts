import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "react-router"
import { array, bigint, exactOptional, object, picklist, string } from "valibot"
import { stringifyJson } from "../../contract/int64.ts"
import type { CreateWorkRequest, Work } from "../../contract/resources.ts"
import { api } from "../client/api.ts"
import { recordedOf, useIntent } from "../client/intent.ts"
import { workKey, workListKey } from "../client/work-reads.ts"
import { useEntry } from "../client/storage.ts"
import { defineIntents, type Intent } from "../client/stored-intent.ts"
import { workAddress } from "../inbox/addresses.ts"
import { rememberColleague } from "./colleague-field.tsx"
import { requestOf } from "./create-request.ts"
import { createdWork } from "./created-callout.tsx"
import { forgetInput, uploadsKey } from "./uploads.ts"
import { changeWorkDraft, readWorkDraft, workDraft, type WorkDraft } from "./work-draft.ts"

/** The part of a created Work that is stored with the intent. */
type CreatedWork = Pick<Work, "id" | "title">

const createIntents = defineIntents<readonly [draftId: string], CreateWorkRequest, CreatedWork>({
  name: "create-intent",
  // The members have the order of `requestOf`, because two requests are compared as JSON.
  input: object({
    colleague_id: string(),
    objective: string(),
    title: exactOptional(string()),
    priority: exactOptional(picklist(["low", "normal", "high", "urgent"])),
    visibility_scope: exactOptional(picklist(["private", "team", "organization"])),
    due_at: exactOptional(string()),
    active_execution_limit_seconds: exactOptional(bigint()),
    input_upload_ids: exactOptional(array(string())),
  }),
  result: object({ id: string(), title: string() }),
})

export type CreateWork = {
  readonly intent: Intent<CreateWorkRequest, CreatedWork> | undefined
  /** Whether the form still holds the request that was sent. */
  readonly unchanged: boolean
  readonly create: () => void
  readonly sendAgain: () => void
}

/** Whether this tab shows the form of new Work. */
export const isFormOpen = (): boolean => location.pathname === "/work/new"

/** Gives the id of the colleague whom a text in the field `Colleague` names. */
type ColleagueOf = (text: string) => string

/**
 * Creates the Work of a draft, once. When the service has answered with the Work, the draft, its uploads and its key are removed,
 * and the app shows the Work if the form is still open.
 */
export function useCreateWork(draft: WorkDraft, request: CreateWorkRequest, colleagueOf: ColleagueOf): CreateWork {
  const client = useQueryClient()
  const navigate = useNavigate()
  const entry = createIntents(draft.id)
  const sendCreate = async (input: CreateWorkRequest, key: string) => {
    const recorded = await recordedOf(
      api.POST("/api/v1/work", { params: { header: { "Idempotency-Key": key } }, body: input }),
    ).catch((error: unknown) => {
      // The refusal may concern an upload that was used, or that expired, after it was read last.
      void client.invalidateQueries({ queryKey: uploadsKey })
      throw error
    })
    const work = recorded.data
    client.setQueryData(workKey(work.id), work)
    void client.invalidateQueries({ queryKey: workListKey })
    rememberColleague(input.colleague_id)
    const draftStays = removeSent(draft.id, input, colleagueOf)
    entry.remove()
    if (draftStays || !isFormOpen()) {
      createdWork().write({ workId: work.id, title: work.title, replayed: recorded.replayed, draftStays })
    }
    if (isFormOpen()) void navigate(workAddress(work.id))
    return recorded
  }

  const stored = useEntry(entry)
  const unchanged = stored !== undefined && stringifyJson(stored.input) === stringifyJson(request)
  const { intent, send, sendAgain } = useIntent(entry, sendCreate)
  const create = () => {
    // Another tab may have created the Work a moment ago, and this tab may not have rendered the change yet.
    if (readWorkDraft().id === draft.id) send(request)
  }
  return { intent, unchanged, create, sendAgain }
}

/**
 * Removes the draft whose Work was created from the request `sent`, with its uploads. The person can change the form after an unknown outcome.
 * A field that was changed, or an input that was not sent, is no part of the Work, and stays as a new draft.
 *
 * @returns whether a draft stays
 */
function removeSent(draftId: string, sent: CreateWorkRequest, colleagueOf: ColleagueOf): boolean {
  const draft = readWorkDraft()
  // Another tab has begun a new draft already.
  if (draft.id !== draftId) return false
  const { input_upload_ids: attached = [], ...fields } = sent
  const unsent = draft.inputs.filter(({ uploadId }) => uploadId === undefined || !attached.includes(uploadId))
  for (const input of draft.inputs) if (!unsent.includes(input)) forgetInput(input)
  const colleague = draft.colleague === undefined ? sent.colleague_id : colleagueOf(draft.colleague)
  const isChanged = stringifyJson(requestOf({ ...draft, inputs: [] }, colleague)) !== stringifyJson(fields)
  if (isChanged || unsent.length > 0) changeWorkDraft(() => ({ id: crypto.randomUUID(), inputs: unsent }))
  else workDraft().remove()
  return isChanged || unsent.length > 0
}
