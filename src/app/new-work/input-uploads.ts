/** The inputs of a draft: adding, uploading, scanning again and removing them. */
import { type QueryClient, queryOptions, useQueries, useQueryClient } from "@tanstack/react-query"
import { useEffect, useSyncExternalStore } from "react"
import { type InferOutput, object, picklist, string } from "valibot"
import { INPUTS_MAX, UPLOAD_MEDIA_TYPES } from "../../contract/limits.ts"
import type { InputUpload } from "../../contract/resources.ts"
import { api } from "../client/api.ts"
import { deskNow } from "../client/clock.ts"
import { DeskError } from "../client/desk-error.ts"
import { readDesk, writePath } from "../client/desk-request.ts"
import { confirmedOf, type SendIntent, sendIntent } from "../client/send-intent.ts"
import { rateLimitFactor, retryInterval } from "../client/polling.ts"
import { readUpload } from "../client/check-resource.ts"
import { schemaReading } from "../client/value-schema.ts"
import { defineKind, onStorageChange } from "../client/storage.ts"
import { defineIntents } from "../client/stored-intent.ts"
import type { ReadInput } from "./read-input-file.ts"
import { changeWorkDraft, type DraftInput, readWorkDraft } from "./work-draft.ts"
import { type Input, stateBeforeUpload, stateOfUpload } from "./input-states.ts"

const DAY_MS = 24 * 60 * 60_000

/**
 * The exact text of each input. The browser keeps it until the Work is created or the input is removed, so that it can be sent again after a
 * failure, an expiry or a reload. The largest inputs of a draft need a tenth of the storage.
 */
export const inputContents = defineKind<readonly [inputId: string], string>({
  name: "input-content",
  schema: string(),
  keptDays: 90,
})

export const CONTENT_GONE = "The browser no longer has this file. Remove it and choose it again."

/** The upload of an input. The content is kept apart and never changes under one input id. */
const uploadIntent = object({ inputId: string(), name: string(), mediaType: picklist(UPLOAD_MEDIA_TYPES) })
type UploadIntent = InferOutput<typeof uploadIntent>
const scanIntent = object({ uploadId: string() })
type ScanIntent = InferOutput<typeof scanIntent>
/** The part of the service's answer to an upload or a new scan that is needed after a reload. */
const uploaded = object({ id: string() })
type Uploaded = InferOutput<typeof uploaded>

export const uploadIntents = defineIntents<readonly [inputId: string], UploadIntent, Uploaded>({
  name: "upload-intent",
  input: uploadIntent,
  result: uploaded,
})
export const scanIntents = defineIntents<readonly [uploadId: string], ScanIntent, Uploaded>({
  name: "scan-intent",
  input: scanIntent,
  result: uploaded,
})
export const uploadsKey = ["upload"] as const
const uploadKey = (uploadId: string) => ["upload", uploadId] as const

const FIRST_INTERVAL_MS = 500
const LONGEST_INTERVAL_MS = 3_000
const OVERDUE_INTERVAL_MS = 10_000
/** An expired upload is read this long after its expiry, when the service has noticed the expiry. */
const EXPIRY_MARGIN_MS = 500

/** Reads an upload until its scan is over, at growing intervals, and once more when it has expired. */
export function uploadOptions(uploadId: string) {
  return queryOptions({
    queryKey: uploadKey(uploadId),
    queryFn: ({ signal }) =>
      readDesk(writePath("/api/v1/uploads/{id}", { id: uploadId }), schemaReading(readUpload), {
        signal,
      }),
    refetchInterval: (query) => {
      if (query.state.status === "error") return retryInterval(query)
      const upload = query.state.data
      if (upload?.status === "ready") return untilExpiry(upload)
      if (upload?.status !== "processing") return false
      const wanted = FIRST_INTERVAL_MS * 1.5 ** (query.state.dataUpdateCount - 1)
      return Math.min(wanted, LONGEST_INTERVAL_MS) * rateLimitFactor()
    },
  })
}

/** Sends the content of an input, and stores the service's id of the upload in the draft. */
export function sendUpload(client: QueryClient): SendIntent<UploadIntent, InputUpload> {
  return async ({ inputId, name, mediaType }, key) => {
    const content = inputContents(inputId).read()
    if (content === undefined) throw new DeskError({ kind: "unsent", title: "The file is gone", detail: CONTENT_GONE })
    const confirmed = await confirmedOf(
      api.POST("/api/v1/uploads", {
        params: { header: { "Idempotency-Key": key } },
        body: { name, media_type: mediaType, content },
      }),
      readUpload,
    )
    client.setQueryData(uploadKey(confirmed.data.id), confirmed.data)
    // The person may have removed the input meanwhile.
    if (readWorkDraft().inputs.some(({ id }) => id === inputId)) {
      changeWorkDraft(({ inputs }) => ({
        inputs: inputs.map((input) => (input.id === inputId ? { ...input, uploadId: confirmed.data.id } : input)),
      }))
    }
    return confirmed
  }
}

export function sendScan(client: QueryClient): SendIntent<ScanIntent, InputUpload> {
  return async ({ uploadId }, key) => {
    const confirmed = await confirmedOf(
      api.POST("/api/v1/uploads/{id}/processing/retry", {
        params: { path: { id: uploadId }, header: { "Idempotency-Key": key } },
      }),
      readUpload,
    )
    client.setQueryData(uploadKey(uploadId), confirmed.data)
    return confirmed
  }
}

/** Adds inputs to the draft; `useInputs` sends them. Returns the names of the inputs for which there is no room. */
export function addInputs(added: readonly ReadInput[]): readonly string[] {
  const room = Math.max(INPUTS_MAX - readWorkDraft().inputs.length, 0)
  for (const { content, ...read } of added.slice(0, room)) {
    const input: DraftInput = { ...read, id: crypto.randomUUID() }
    if (content !== undefined) inputContents(input.id).write(content)
    changeWorkDraft(({ inputs }) => ({ inputs: [...inputs, input] }))
  }
  return added.slice(room).map(({ name }) => name)
}

/** Sends an input whose media type is known. */
export function sendInput({ id, name, mediaType }: DraftInput, client: QueryClient): void {
  if (mediaType === undefined) return
  void sendIntent(uploadIntents(id), { inputId: id, name, mediaType }, sendUpload(client))
}

/** Removes an input from the draft. The API cannot delete an upload, so the upload of a removed input expires at the service. */
export function removeInput(input: DraftInput): void {
  changeWorkDraft(({ inputs }) => ({ inputs: inputs.filter(({ id }) => id !== input.id) }))
  forgetInput(input)
}

/** Makes a new input of the kept content: with another media type, or after the upload expired or was used. `useInputs` sends it. */
export function renewInput(input: DraftInput, mediaType = input.mediaType): void {
  const content = inputContents(input.id).read()
  if (content === undefined) return
  const { name, bytes } = input
  const renewed: DraftInput = { id: crypto.randomUUID(), name, bytes, mediaType }
  inputContents(renewed.id).write(content)
  changeWorkDraft(({ inputs }) => ({ inputs: inputs.map((each) => (each.id === input.id ? renewed : each)) }))
  forgetInput(input)
}

/** Removes everything that the browser keeps of an input: its content and its intents. */
export function forgetInput({ id, uploadId }: DraftInput): void {
  inputContents(id).remove()
  uploadIntents(id).remove()
  if (uploadId !== undefined) scanIntents(uploadId).remove()
}

function untilExpiry(upload: InputUpload): number | false {
  const moment = Date.parse(upload.expires_at)
  if (Number.isNaN(moment)) return false
  const left = moment - deskNow()
  // A clock of the service that is behind has not expired the upload yet. Then the upload is read again at `OVERDUE_INTERVAL_MS`.
  // An upload that expires later than tomorrow is read once a day.
  return left > 0 ? Math.min(left + EXPIRY_MARGIN_MS, DAY_MS) : OVERDUE_INTERVAL_MS
}

/**
 * The inputs of the draft with their states, kept current. Sends each input that has no intent yet: one that was just added, and one that a page
 * did not send before it was closed.
 */
export function useInputs(drafts: readonly DraftInput[]): readonly Input[] {
  const client = useQueryClient()
  const storedState = (draft: DraftInput) =>
    stateBeforeUpload(draft, uploadIntents(draft.id).read()?.state, inputContents(draft.id).read() !== undefined)
  // Renders again when the browser keeps another state of an input.
  useSyncExternalStore(onStorageChange, () => drafts.map(storedState).join())
  const sent = drafts.flatMap(({ uploadId }) => uploadId ?? [])
  const uploads = useQueries({ queries: sent.map((uploadId) => uploadOptions(uploadId)) })

  const inputs = drafts.map((draft): Input => {
    if (draft.uploadId === undefined) return { draft, state: storedState(draft), upload: undefined, error: undefined }
    const query = uploads[sent.indexOf(draft.uploadId)]
    const error = query?.error instanceof DeskError ? query.error : undefined
    return { draft, state: stateOfUpload(query?.data, error), upload: query?.data, error }
  })

  // An input that was added in another tab, or before a reload, is sent without an event in this tab.
  useEffect(() => {
    for (const { draft, state } of inputs) {
      if (state === "sending" && uploadIntents(draft.id).read() === undefined) sendInput(draft, client)
    }
  })
  return inputs
}
