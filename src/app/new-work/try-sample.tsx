import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect } from "react"
import { useNavigate } from "react-router"
import { literal, object, string } from "valibot"
import type { CreateWorkRequest, InputUpload } from "../../contract/resources.ts"
import { api } from "../client/api.ts"
import { DeskError } from "../client/desk-error.ts"
import { recordedOf, useIntent } from "../client/intent.ts"
import { defineIntents, resendsAt } from "../client/stored-intent.ts"
import { workListKey } from "../client/query-keys.ts"
import { useMissingRole } from "../client/missing-role.ts"
import { workAddress } from "../inbox/addresses.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Identifier } from "../ui/identifier.tsx"
import { IntentNotice } from "../ui/intent-notice.tsx"
import { Notice } from "../ui/notice.tsx"
import sample from "./sample-orders.csv?raw"
import { uploadOptions } from "./uploads.ts"
import { createIntents } from "./use-create-work.ts"

const UPLOAD = { name: "cafe-orders.csv", media_type: "text/csv", content: sample } as const

const sampleUpload = defineIntents<readonly [], typeof UPLOAD, Pick<InputUpload, "id">>({
  name: "sample-upload-intent",
  input: object({
    name: literal(UPLOAD.name),
    media_type: literal(UPLOAD.media_type),
    content: literal(UPLOAD.content),
  }),
  result: object({ id: string() }),
})

const createRequest = (uploadId: string): CreateWorkRequest => ({
  colleague_id: "analyst",
  title: "Twelve days of café orders",
  objective: "Profile the café's orders, find what looks wrong, and send the summary to owner@cafe.example",
  input_upload_ids: [uploadId],
})

/**
 * A button for the first visit: it uploads a sample, waits for its scan, delegates it to the embedded analyst and opens the Work. The
 * upload and the Work are two intents, so that a reload or a lost answer does not create the Work twice.
 */
export function TrySample() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const upload = useIntent(sampleUpload(), (body, key) =>
    recordedOf(api.POST("/api/v1/uploads", { params: { header: { "Idempotency-Key": key } }, body })),
  )
  const create = useIntent(createIntents("sample"), (body, key) =>
    recordedOf(api.POST("/api/v1/work", { params: { header: { "Idempotency-Key": key } }, body })),
  )
  const uploadId = upload.intent?.state === "recorded" ? upload.intent.result.id : undefined
  const { data: scanned, error } = useQuery({ ...uploadOptions(uploadId ?? "", true), enabled: uploadId !== undefined })
  const missingRole = useMissingRole("createWork")

  const isReady = scanned?.status === "ready"
  const hasScanFailed = scanned !== undefined && !isReady && scanned.status !== "processing"
  const createState = create.intent?.state
  const sendCreate = create.send
  useEffect(() => {
    if (isReady && uploadId !== undefined && createState === undefined) sendCreate(createRequest(uploadId))
  }, [isReady, uploadId, createState, sendCreate])

  const created = create.intent?.state === "recorded" ? create.intent.result : undefined
  const { discard: forgetUpload } = upload
  const { discard: forgetCreate } = create
  useEffect(() => {
    if (created === undefined) return
    void client.invalidateQueries({ queryKey: workListKey })
    forgetUpload()
    forgetCreate()
    void navigate(workAddress(created.id))
  }, [created, client, navigate, forgetUpload, forgetCreate])

  const failed = [upload, create].find(({ intent }) => intent !== undefined && "error" in intent)
  const failure = failed?.intent !== undefined && "error" in failed.intent ? failed.intent : undefined
  const isBusy = upload.intent !== undefined && failure === undefined && error === null && !hasScanFailed
  // The upload goes too: while it is there, the effect above creates its Work.
  const forget = () => {
    forgetUpload()
    forgetCreate()
  }
  const begin = () => {
    forget()
    upload.send(UPLOAD)
  }
  return (
    <>
      <Button inactive={isBusy} disabled={missingRole !== undefined} onClick={begin}>
        {isBusy ? (uploadId === undefined ? "Sending the sample" : "Scanning the sample") : "Try it with a sample file"}
      </Button>
      {missingRole !== undefined && <p className="small soft">{missingRole}</p>}
      {error instanceof DeskError && (
        <ErrorAlert
          error={error}
          kept="The sample was sent. Whether its scan is over is not known."
          retryAt={error.retryAt}
        />
      )}
      {hasScanFailed && (
        <Notice announce="alert" tone="bad" icon="warning" compact>
          <div>
            The sample did not pass its scan, so no Work was created. Try it again, or choose a file of your own.
          </div>
          <div className="small">
            <Identifier value={scanned.processing_state ?? scanned.status} />{" "}
            {scanned.failure_code !== undefined && <Identifier value={scanned.failure_code} />}
          </div>
        </Notice>
      )}
      {failed !== undefined && failure !== undefined && (
        <IntentNotice
          state={failure.state}
          error={failure.error}
          resendsAt={resendsAt(failure)}
          what="the sample"
          onSendAgain={failed.sendAgain}
          onDiscard={forget}
        />
      )}
    </>
  )
}
