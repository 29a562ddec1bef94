/** The operations on uploads. */
import { contentHash, newId, optional, timestamp } from "./api-values.ts"
import { UPLOAD_MEDIA_TYPES } from "../contract/limits.ts"
import { plural } from "../contract/plural.ts"
import type { InputUpload } from "../contract/resources.ts"
import type { Credential } from "./admission/credentials.ts"
import { demonstrationOf } from "./demonstration.ts"
import type { ServiceContext } from "./context.ts"
import { mutation, reading } from "./http/handler.ts"
import { ProblemError, policyBlocked, visible } from "./problems.ts"
import { scanDue, type Scans } from "./scans.ts"
import { int64, integer, oneOf, optionalText, type Row, text } from "./store/sqlite-row.ts"
import type { Store } from "./store/store.ts"

const COLUMNS = `id, account, name, media_type, length(content) AS size, content_hash, processing_state, failure_code,
  detected_type, queued_at, work_id, created_at, expires_at`

const SCAN_STATES = ["processing", "available", "quarantined", "scan_failed"] as const

/** The handlers of createInputUpload, getInputUpload and retryInputUploadProcessing. */
export function uploadHandlers(context: ServiceContext, scans: Scans) {
  const { store, configuration } = context
  return {
    createInputUpload: mutation("createInputUpload", context, {
      status: 201,
      find: () => undefined,
      perform({ body, credential }) {
        if (demonstrationOf(configuration.current).isBlocked(body.content)) throw policyBlocked("this input")
        const id = newId("upload")
        const now = Date.now()
        const content = Buffer.from(body.content)
        store.insert("upload", {
          id,
          account: credential.account,
          name: body.name,
          media_type: body.media_type,
          content,
          content_hash: contentHash(content),
          processing_state: "processing",
          scans: 0,
          queued_at: now,
          created_at: now,
          expires_at: now + Math.round(configuration.current.uploadLifetimeSeconds * 1000),
        })
        scans.queue(id, now)
        return { body: toUpload(findUpload(store, id, credential), now) }
      },
    }),

    getInputUpload: reading("getInputUpload", ({ path, credential }) => ({
      body: toUpload(findUpload(store, path("id"), credential), Date.now()),
    })),

    retryInputUploadProcessing: mutation("retryInputUploadProcessing", context, {
      status: 202,
      find: ({ path, credential }) => findUpload(store, path("id"), credential),
      perform({ path, credential }, row) {
        const now = Date.now()
        const { status, processing_state } = toUpload(row, now)
        if (status !== "failed" || processing_state !== "scan_failed") {
          throw new ProblemError(
            "UPLOAD_NOT_RETRYABLE",
            "Only an upload whose processing_state is scan_failed can be scanned again",
          )
        }
        scans.queue(path("id"), now)
        return { body: toUpload(findUpload(store, path("id"), credential), now) }
      },
    }),
  }
}

/** The account's upload. @throws ProblemError 404, the same for an unknown upload and for another account's upload */
export function findUpload(store: Store, id: string, { account }: Credential): Row {
  return visible(store.get(`SELECT ${COLUMNS} FROM upload WHERE id = ? AND account = ?`, id, account))
}

/** Attaches uploads to new Work within an effect. An attached upload is `consumed`. @throws ProblemError 409 for an upload that is not ready */
export function attachUploads(context: ServiceContext, workId: string, uploads: readonly Row[]): void {
  const now = Date.now()
  for (const [position, row] of uploads.entries()) {
    const upload = toUpload(row, now)
    checkAttachable(upload, scanDue(row, context.configuration.current) - now)
    context.store.update("upload", upload.id, { work_id: workId, position })
    const { name, size } = upload
    const message = `Received the input ${name} (${plural(size, "byte")})`
    context.events.append(workId, "input.consumed", { message, upload_id: upload.id, name, size })
  }
}

function checkAttachable(upload: InputUpload, scanLeftMs: number): void {
  const { id, name, status, failure_code: failureCode, processing_state } = upload
  const subject = `The upload ${id} (${name})`
  switch (status) {
    case "ready":
      return
    case "processing":
      throw new ProblemError("INPUT_NOT_READY", `${subject} is still being scanned`, {
        retryable: true,
        retryAfter: Math.max(1, Math.ceil(scanLeftMs / 1000)),
      })
    case "failed":
      throw new ProblemError("INPUT_SCAN_FAILED", `${subject} did not pass its scan`, {
        retryable: processing_state === "scan_failed",
        failureCode,
      })
    case "consumed":
      throw new ProblemError(
        "INPUT_CONSUMED",
        `${subject} is already attached to Work; an upload can be attached only once`,
      )
    case "expired":
      throw new ProblemError("INPUT_EXPIRED", `${subject} has expired`)
  }
}

/** The upload as the API shows it at the time `now`. An unattached upload is `expired` after its `expires_at`. */
function toUpload(row: Row, now: number): InputUpload {
  const state = oneOf(row, "processing_state", SCAN_STATES)
  const isAttached = row["work_id"] !== null
  const isExpired = !isAttached && integer(row, "expires_at") <= now
  const isFailed = !isExpired && (state === "quarantined" || state === "scan_failed")
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    media_type: oneOf(row, "media_type", UPLOAD_MEDIA_TYPES),
    size: int64(row, "size"),
    content_hash: text(row, "content_hash"),
    status: isExpired ? "expired" : statusOf(state, isAttached),
    processing_state: isExpired ? "expired" : state,
    ...optional("failure_code", isExpired ? undefined : optionalText(row, "failure_code")),
    ...optional("retryable", isFailed ? state === "scan_failed" : undefined),
    ...optional("detected_type", optionalText(row, "detected_type")),
    ...optional("work_id", optionalText(row, "work_id")),
    expires_at: timestamp(integer(row, "expires_at")),
    created_at: timestamp(integer(row, "created_at")),
  }
}

function statusOf(state: (typeof SCAN_STATES)[number], isAttached: boolean): InputUpload["status"] {
  switch (state) {
    case "processing":
      return "processing"
    case "available":
      return isAttached ? "consumed" : "ready"
    case "quarantined":
    case "scan_failed":
      return "failed"
  }
}
