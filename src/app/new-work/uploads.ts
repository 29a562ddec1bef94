import { type QueryClient, queryOptions } from "@tanstack/react-query"
import { INPUTS_MAX, UPLOAD_MEDIA_TYPES } from "../../contract/limits.ts"
import type { InputUpload } from "../../contract/resources.ts"
import { api, dataOf, recordedOf } from "../client/api.ts"
import { DeskError } from "../client/desk-error.ts"
import { object, picklist, string } from "valibot"
import { defineIntents, type IntentEntry, type SendIntent, sendIntent } from "../client/intent.ts"
import { retryInterval } from "../client/polling.ts"
import { rateLimitFactor } from "../client/rate-limit.ts"
import type { Chosen } from "./read-input-file.ts"
import { forgetContent, keepContent, readContent } from "./input-content.ts"
import type { UploadMediaType } from "./media-type.ts"
import { changeWorkDraft, type DraftInput, readWorkDraft } from "./work-draft.ts"

/** What is sent for a line of the rail; its content, which never changes under one id, is kept beside it. */
export type UploadIntent = { readonly inputId: string; readonly name: string; readonly mediaType: UploadMediaType }

/** What the service answered to an upload or a new scan, as far as it is needed after a reload. */
const uploadResult = object({ id: string() })

export const uploadIntents = defineIntents<readonly [inputId: string], UploadIntent, Pick<InputUpload, "id">>({
  name: "upload-intent",
  input: object({ inputId: string(), name: string(), mediaType: picklist(UPLOAD_MEDIA_TYPES) }),
  result: uploadResult,
})
export const scanIntents = defineIntents<
  readonly [uploadId: string],
  { readonly uploadId: string },
  Pick<InputUpload, "id">
>({
  name: "scan-intent",
  input: object({ uploadId: string() }),
  result: uploadResult,
})
export const uploadsKey = ["upload"] as const
const uploadKey = (uploadId: string) => ["upload", uploadId] as const

const FIRST_LOOK_MS = 500
const SLOWEST_LOOK_MS = 3_000
const OVERDUE_LOOK_MS = 10_000
const LONGEST_TIMER_MS = 2_147_000_000

/** How often an upload was seen in processing since it was sent or scanned again. */
const looks = new Map<string, number>()

/**
 * Reads an upload until its scan is over, at growing intervals, and once more when its time is up.
 *
 * @param awaited that Work waits for it: then also while the tab is hidden
 */
export function uploadOptions(uploadId: string, awaited: boolean) {
  return queryOptions({
    queryKey: uploadKey(uploadId),
    queryFn: async ({ signal }) => {
      const upload = await dataOf(api.GET("/api/v1/uploads/{id}", { params: { path: { id: uploadId } }, signal }))
      looks.set(uploadId, upload.status === "processing" ? (looks.get(uploadId) ?? 0) + 1 : 0)
      return upload
    },
    refetchIntervalInBackground: awaited,
    refetchInterval: (query) => {
      if (query.state.status === "error") return retryInterval(query)
      const upload = query.state.data
      if (upload?.status === "ready") return untilExpiry(upload)
      if (upload?.status !== "processing") return false
      const wanted = FIRST_LOOK_MS * 1.5 ** (looks.get(uploadId) ?? 0)
      return Math.min(wanted, SLOWEST_LOOK_MS) * rateLimitFactor()
    },
  })
}

/** Sends a line's content, and writes down the service's id for it. */
export function sendUpload(client: QueryClient): SendIntent<UploadIntent, InputUpload> {
  return async ({ inputId, name, mediaType }, key) => {
    const content = readContent(inputId)
    if (content === undefined) throw contentGone()
    const recorded = await recordedOf(
      api.POST("/api/v1/uploads", {
        params: { header: { "Idempotency-Key": key } },
        body: { name, media_type: mediaType, content },
      }),
    )
    client.setQueryData(uploadKey(recorded.data.id), recorded.data)
    if (!changeInput(inputId, { uploadId: recorded.data.id })) discardSoon(uploadIntents(inputId))
    return recorded
  }
}

/** Asks for a new scan of an upload. */
export function sendScan(client: QueryClient): SendIntent<{ readonly uploadId: string }, InputUpload> {
  return async ({ uploadId }, key) => {
    const recorded = await recordedOf(
      api.POST("/api/v1/uploads/{id}/processing/retry", {
        params: { path: { id: uploadId }, header: { "Idempotency-Key": key } },
      }),
    )
    looks.set(uploadId, 0)
    client.setQueryData(uploadKey(uploadId), recorded.data)
    return recorded
  }
}

/** Adds what was chosen to the rail and sends it at once. Gives the names of those for which there is no room. */
export function addInputs(chosen: readonly Chosen[], client: QueryClient): readonly string[] {
  const room = INPUTS_MAX - readWorkDraft().inputs.length
  for (const each of chosen.slice(0, room)) {
    const { name, bytes, mediaType } = each
    const input: DraftInput = { id: crypto.randomUUID(), name, bytes, mediaType }
    if ("content" in each) keepContent(input.id, each.content)
    const problem = "problem" in each ? each.problem : undefined
    changeWorkDraft(({ inputs }) => ({ inputs: [...inputs, { ...input, problem }] }))
    if (problem === undefined) sendInput(input, client)
  }
  return chosen.slice(Math.max(room, 0)).map(({ name }) => name)
}

/** Sends a line of the rail, if its kind is known and its content is kept. */
export function sendInput({ id, name, mediaType }: DraftInput, client: QueryClient): void {
  if (mediaType === undefined) return
  void sendIntent(uploadIntents(id), { inputId: id, name, mediaType }, sendUpload(client))
}

/** Takes a line off the rail. An upload that the service already has is left to expire: the API cannot take it back. */
export function removeInput(input: DraftInput): void {
  changeWorkDraft(({ inputs }) => ({ inputs: inputs.filter(({ id }) => id !== input.id) }))
  forgetInput(input)
}

/** Sends the kept content of a line anew, as another kind or after its upload is lost: a new intent in the same place. */
export function renewInput(input: DraftInput, mediaType: UploadMediaType | undefined, client: QueryClient): void {
  const content = readContent(input.id)
  if (content === undefined) return
  const { name, bytes } = input
  const renewed: DraftInput = { id: crypto.randomUUID(), name, bytes, mediaType }
  keepContent(renewed.id, content)
  changeWorkDraft(({ inputs }) => ({ inputs: inputs.map((each) => (each.id === input.id ? renewed : each)) }))
  forgetInput(input)
  sendInput(renewed, client)
}

/** Forgets everything that is kept for a line: its content, its keys and what is known of them. */
export function forgetInput({ id, uploadId }: DraftInput): void {
  forgetContent(id)
  uploadIntents(id).remove()
  if (uploadId !== undefined) scanIntents(uploadId).remove()
}

/** Forgets an intent after its answer has been written down, which follows this at once. */
export function discardSoon(intent: Pick<IntentEntry<unknown, unknown>, "remove">): void {
  setTimeout(() => intent.remove())
}

function changeInput(inputId: string, change: Partial<DraftInput>): boolean {
  if (!readWorkDraft().inputs.some(({ id }) => id === inputId)) return false
  changeWorkDraft(({ inputs }) => ({
    inputs: inputs.map((input) => (input.id === inputId ? { ...input, ...change } : input)),
  }))
  return true
}

function untilExpiry(upload: InputUpload): number | false {
  const moment = Date.parse(upload.expires_at)
  if (Number.isNaN(moment)) return false
  const left = moment - Date.now()
  // A clock that is ahead of the service's must not make it a storm.
  return left > 0 ? Math.min(left + 500, LONGEST_TIMER_MS) : OVERDUE_LOOK_MS
}

function contentGone(): DeskError {
  return new DeskError({
    kind: "unaddressable",
    title: "The text is gone",
    detail: "The browser no longer keeps what was chosen. Remove it and choose it again.",
    code: "",
    retryable: false,
  })
}
