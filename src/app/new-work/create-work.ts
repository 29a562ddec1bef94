import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "react-router"
import { array, bigint, boolean, exactOptional, type InferOutput, object, picklist, string } from "valibot"
import { stringifyJson } from "../../contract/int64.ts"
import type { Work } from "../../contract/resources.ts"
import { PRIORITIES } from "../../contract/work-order.ts"
import { api } from "../client/api.ts"
import { readWork } from "../client/check-resource.ts"
import { confirmedOf, useIntent } from "../client/send-intent.ts"
import { defineKind, useEntry } from "../client/storage.ts"
import { defineIntents } from "../client/stored-intent.ts"
import { relatedKey, workKey, workListKey } from "../client/work-reads.ts"
import { workAddress } from "../inbox/addresses.ts"
import { rememberColleague } from "./form-fields.tsx"
import {
  changeWorkDraft,
  type DelegateRequest,
  readWorkDraft,
  requestOf,
  VISIBILITY_SCOPES,
  workDraft,
  type WorkDraft,
} from "./work-draft.ts"
import { forgetInput, uploadsKey } from "./input-uploads.ts"

type CreatedWork = Pick<Work, "id" | "title">

const createIntents = defineIntents<readonly [draftId: string], DelegateRequest, CreatedWork>({
  name: "create-intent",
  // The members have the order of `requestOf`, because two requests are compared as JSON.
  input: object({
    colleague_id: string(),
    objective: string(),
    title: exactOptional(string()),
    priority: exactOptional(picklist(PRIORITIES)),
    visibility_scope: exactOptional(picklist(VISIBILITY_SCOPES)),
    due_at: exactOptional(string()),
    active_execution_limit_seconds: exactOptional(bigint()),
    input_upload_ids: exactOptional(array(string())),
    insteadOf: exactOptional(string()),
  }),
  result: object({ id: string(), title: string() }),
})

const isFormOpen = (): boolean => location.pathname === "/work/new"

/** Returns the id of the colleague whom a text in the field `Colleague` names. */
type ColleagueOf = (text: string) => string

/**
 * Creates the Work of a draft, once. When the service has answered with the Work, the draft, its uploads and its key are removed,
 * and the app shows the Work if the form is still open.
 */
export function useCreateWork(draft: WorkDraft, request: DelegateRequest, colleagueOf: ColleagueOf) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const entry = createIntents(draft.id)
  const sendCreate = async (input: DelegateRequest, key: string) => {
    const { insteadOf, ...body } = input
    const confirmed = await confirmedOf(
      api.POST("/api/v1/work", {
        params: { header: { "Idempotency-Key": key } },
        headers: insteadOf === undefined ? {} : { "desk-instead-of": insteadOf },
        body,
      }),
      readWork,
    ).catch((error: unknown) => {
      // The refusal may concern an upload that was used, or that expired, after it was read last.
      void client.invalidateQueries({ queryKey: uploadsKey })
      throw error
    })
    const work = confirmed.data
    client.setQueryData(workKey(work.id), work)
    void client.invalidateQueries({ queryKey: workListKey })
    if (insteadOf !== undefined) void client.invalidateQueries({ queryKey: relatedKey(insteadOf) })
    rememberColleague(input.colleague_id)
    const draftStays = removeSent(draft.id, input, colleagueOf)
    entry.remove()
    if (draftStays || !isFormOpen()) {
      creationNotices().write({ workId: work.id, title: work.title, replayed: confirmed.replayed, draftStays })
    }
    if (isFormOpen()) void navigate(workAddress(work.id))
    return confirmed
  }

  const stored = useEntry(entry)
  /** Whether the form still holds the request that was sent. */
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
function removeSent(draftId: string, sent: DelegateRequest, colleagueOf: ColleagueOf): boolean {
  const draft = readWorkDraft()
  // Another tab has begun a new draft already.
  if (draft.id !== draftId) return false
  const { input_upload_ids: attached = [], ...fields } = sent
  const unsent = draft.inputs.filter(({ uploadId }) => uploadId === undefined || !attached.includes(uploadId))
  for (const input of draft.inputs) if (!unsent.includes(input)) forgetInput(input)
  const colleague = draft.colleague === undefined ? sent.colleague_id : colleagueOf(draft.colleague)
  const isChanged = stringifyJson(requestOf({ ...draft, inputs: [] }, colleague)) !== stringifyJson(fields)
  if (isChanged || unsent.length > 0)
    changeWorkDraft(() => ({ id: crypto.randomUUID(), inputs: unsent, again: undefined }))
  else workDraft().remove()
  return isChanged || unsent.length > 0
}

/** What the form says about a Work that was created while the person wasn't at the form, or without their later changes. */
const creationNotice = object({
  workId: string(),
  title: string(),
  replayed: boolean(),
  /** Whether the form holds changes that the person made after sending. They are not part of the Work. */
  draftStays: boolean(),
})

export type CreationNotice = InferOutput<typeof creationNotice>

/** Kept until the person dismisses the callout, at most 30 days. */
export const creationNotices = defineKind<readonly [], CreationNotice>({
  name: "created-work",
  version: 2,
  schema: creationNotice,
  keptDays: 30,
})
