import { useQueries, useQueryClient } from "@tanstack/react-query"
import { useEffect, useSyncExternalStore } from "react"
import { DeskError } from "../client/desk-error.ts"
import { onStorageChange } from "../client/storage.ts"
import { type Input, stateBeforeUpload, stateOfUpload } from "./input-state.ts"
import { inputContents, sendInput, uploadIntents, uploadOptions } from "./uploads.ts"
import type { DraftInput } from "./work-draft.ts"

/**
 * The inputs of the draft with their states, kept current. Sends each input that has no intent yet: one that was just added, and one that a page
 * did not send before it was closed.
 */
export function useInputs(drafts: readonly DraftInput[]): readonly Input[] {
  const client = useQueryClient()
  // Renders again when an intent has another state, or a content another place.
  useSyncExternalStore(onStorageChange, () => drafts.map(({ id }) => uploadIntents(id).read()?.state).join())
  useSyncExternalStore(inputContents.subscribe, () => drafts.map(({ id }) => inputContents.placeOf(id)).join())
  const sent = drafts.flatMap(({ uploadId }) => uploadId ?? [])
  const uploads = useQueries({ queries: sent.map((uploadId) => uploadOptions(uploadId)) })

  const inputs = drafts.map((draft): Input => {
    if (draft.uploadId === undefined) {
      const intent = uploadIntents(draft.id).read()?.state
      const state = stateBeforeUpload(draft, intent, inputContents.placeOf(draft.id))
      return { draft, state, upload: undefined, error: undefined }
    }
    const query = uploads[sent.indexOf(draft.uploadId)]
    const error = query?.error instanceof DeskError ? query.error : undefined
    return { draft, state: stateOfUpload(query?.data, error), upload: query?.data, error }
  })

  useEffect(() => {
    for (const { draft, state } of inputs) {
      const hasIntent = uploadIntents(draft.id).read() !== undefined
      const isContentFound = inputContents.placeOf(draft.id) !== "unknown"
      if (state === "sending" && !hasIntent && isContentFound) sendInput(draft, client)
    }
  })
  return inputs
}
