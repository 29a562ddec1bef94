import { useQueryClient } from "@tanstack/react-query"
import { useCallback, useEffect, useRef } from "react"
import { useNavigate } from "react-router"
import { array, bigint, exactOptional, object, picklist, string } from "valibot"
import { stringifyJson } from "../../contract/int64.ts"
import type { CreateWorkRequest, Work } from "../../contract/resources.ts"
import { api } from "../client/api.ts"
import { recordedOf, useIntent } from "../client/intent.ts"
import { defineIntents, type Intent } from "../client/stored-intent.ts"
import { workKey, workListKey } from "../client/work-reads.ts"
import { useEntry } from "../client/storage.ts"
import { workAddress } from "../inbox/addresses.ts"
import { keepCreated } from "./created.ts"
import { endDraft } from "./end-draft.ts"
import { rememberColleague } from "./used-colleagues.ts"
import { discardSoon, uploadsKey } from "./uploads.ts"
import { readWorkDraft, type WorkDraft } from "./work-draft.ts"

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

/** The part of a created Work that is needed. */
type CreatedWork = Pick<Work, "id" | "title">

export type CreateWork = {
  readonly intent: Intent<CreateWorkRequest, CreatedWork> | undefined
  /** Whether the form still holds the request that was sent. */
  readonly unchanged: boolean
  readonly create: () => void
  readonly sendAgain: () => void
}

/**
 * Creates the Work of a draft, once. When the service has answered with the Work, the draft, its uploads and its key are removed,
 * and the app shows the Work if the form is still open.
 *
 * @param colleagueOf gives the id of the colleague whom a text in the field `Colleague` names
 */
export function useCreateWork(
  draft: WorkDraft,
  request: CreateWorkRequest,
  colleagueOf: (text: string) => string,
): CreateWork {
  const client = useQueryClient()
  const navigate = useNavigate()
  const isOpen = useRef(false)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  const latestColleagueOf = useRef(colleagueOf)
  useEffect(() => {
    latestColleagueOf.current = colleagueOf
  })

  const sendCreate = useCallback(
    async (input: CreateWorkRequest, key: string) => {
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
      const draftStays = endDraft(draft.id, input, latestColleagueOf.current)
      discardSoon(createIntents(draft.id))
      if (draftStays || !isOpen.current) {
        keepCreated({ workId: work.id, title: work.title, replayed: recorded.replayed, draftStays })
      }
      if (isOpen.current) void navigate(workAddress(work.id))
      return recorded
    },
    [client, navigate, draft.id],
  )

  const entry = createIntents(draft.id)
  const stored = useEntry(entry)
  const unchanged = stored !== undefined && stringifyJson(stored.input) === stringifyJson(request)
  const { intent, send, sendAgain } = useIntent(entry, sendCreate, { resendsAfterWait: unchanged })

  const create = useCallback(() => {
    // Another tab may have created the Work a moment ago, before this tab has rendered that.
    if (readWorkDraft().id === draft.id) send(request)
  }, [draft.id, request, send])

  return { intent, unchanged, create, sendAgain }
}
