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
