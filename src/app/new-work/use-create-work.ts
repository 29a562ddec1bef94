import { useQueryClient } from "@tanstack/react-query"
import { useCallback, useEffect, useRef } from "react"
import { useNavigate } from "react-router"
import { stringifyJson } from "../../contract/int64.ts"
import type { CreateWorkRequest, Work } from "../../contract/resources.ts"
import { api, recordedOf } from "../client/api.ts"
import { array, bigint, exactOptional, object, picklist, string } from "valibot"
import { defineIntents, type Intent } from "../client/intent.ts"
import { workKey, workListKey } from "../client/keys.ts"
import { useIntent } from "../client/use-intent.ts"
import { noteCreated } from "./created.ts"
import { forgetContentsExcept } from "./input-content.ts"
import { rememberColleague } from "./used-colleagues.ts"
import { discardSoon, forgetInput, uploadsKey } from "./uploads.ts"
import { changeWorkDraft, readWorkDraft, removeWorkDraft, type WorkDraft } from "./work-draft.ts"

export const createIntents = defineIntents<readonly [draftId: string], CreateWorkRequest, CreatedWork>({
  name: "create-intent",
  // In the order of `requestOf`: a stored request is the same as a new one when their JSON is the same.
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

/** What is needed of a Work after it was created. */
type CreatedWork = Pick<Work, "id" | "title">

export type CreateWork = {
  readonly intent: Intent<CreateWorkRequest, CreatedWork> | undefined
  /** Whether the form still says what the intent was sent with. */
  readonly unchanged: boolean
  readonly create: () => void
  readonly sendAgain: () => void
  readonly discard: () => void
}

/**
 * Creates the Work of a draft, once. When the service has answered with it, draft, uploads and keys go, and the app goes to
 * the Work if this page is still open.
 *
 * @param resumes whether it is sent again by itself after a `Retry-After`
 */
export function useCreateWork(draft: WorkDraft, request: CreateWorkRequest, resumes: boolean): CreateWork {
  const client = useQueryClient()
  const navigate = useNavigate()
  const open = useRef(false)
  useEffect(() => {
    open.current = true
    return () => {
      open.current = false
    }
  }, [])

  const sendCreate = useCallback(
    async (input: CreateWorkRequest, key: string) => {
      const recorded = await recordedOf(
        api.POST("/api/v1/work", { params: { header: { "Idempotency-Key": key } }, body: input }),
      ).catch((error: unknown) => {
        // A refusal may be about a file that was used, or whose time is over, since it was read last.
        void client.invalidateQueries({ queryKey: uploadsKey })
        throw error
      })
      const work = recorded.data
      client.setQueryData(workKey(work.id), work)
      void client.invalidateQueries({ queryKey: workListKey })
      rememberColleague(input.colleague_id)
      endDraft(draft.id, input)
      if (open.current) void navigate(`/work/${encodeURIComponent(work.id)}`)
      else noteCreated({ workId: work.id, title: work.title, replayed: recorded.replayed })
      return recorded
    },
    [client, navigate, draft.id],
  )

  const probe = useIntent(createIntents(draft.id), sendCreate, { resumes: false })
  const unchanged = probe.intent !== undefined && stringifyJson(probe.intent.input) === stringifyJson(request)
  const { intent, send, sendAgain, discard } = probe

  const retryAt = intent?.state === "waiting" ? intent.error.retryAt : undefined
  const tries = resumes && unchanged && retryAt !== undefined
  useEffect(() => {
    if (!tries || retryAt === undefined) return
    const timer = setTimeout(sendAgain, Math.max(retryAt - Date.now(), 0))
    return () => clearTimeout(timer)
  }, [tries, retryAt, sendAgain])

  const create = useCallback(() => {
    // Another tab may have created it a moment ago, and this one not have drawn that yet.
    if (readWorkDraft().id === draft.id) send(request)
  }, [draft.id, request, send])

  return { intent, unchanged, create, sendAgain, discard }
}

/**
 * Forgets what the Work was made of. What was changed in the form after it was sent (which can be while an outcome is not
 * known) is no part of that Work, and stays as the next draft.
 */
function endDraft(draftId: string, sent: CreateWorkRequest): void {
  const draft = readWorkDraft()
  if (draft.id === draftId) {
    for (const input of draft.inputs) forgetInput(input)
    forgetContentsExcept([])
    if (draft.objective === sent.objective && draft.title === (sent.title ?? "")) removeWorkDraft()
    else changeWorkDraft(() => ({ id: crypto.randomUUID(), inputs: [] }))
  }
  discardSoon(createIntents(draftId))
}
