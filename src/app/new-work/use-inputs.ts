import { useQueries, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useSyncExternalStore } from "react"
import type { InputUpload } from "../../contract/resources.ts"
import { DeskError } from "../client/desk-error.ts"
import { onStorageChange } from "../client/storage.ts"
import { inputContents, sendInput, uploadIntents, uploadOptions } from "./uploads.ts"
import type { DraftInput } from "./work-draft.ts"

/**
 * The state of an input. `unsent`: a problem, or no media type yet. `sending`, `waiting`, `unknown` and `refused`: the state of its intent.
 * `reading` and `lost`: its upload is being read, or is not there any more. The others are the states of the upload in the API.
 */
export type InputState =
  | "unsent"
  | "sending"
  | "waiting"
  | "unknown"
  | "refused"
  | "reading"
  | "lost"
  | InputUpload["status"]

export type Input = {
  readonly draft: DraftInput
  readonly state: InputState
  readonly upload: InputUpload | undefined
  readonly error: DeskError | undefined
}

const PENDING: ReadonlySet<InputState> = new Set<InputState>(["sending", "waiting", "reading", "processing"])

/** Whether an input may still become ready by itself. */
export const isPending = ({ state }: Input): boolean => PENDING.has(state)

/** Whether an input is not ready and does not become ready by itself. */
export const isStuck = (input: Input): boolean => input.state !== "ready" && !isPending(input)

/** The inputs of the draft with their states, kept current. */
export function useInputs(drafts: readonly DraftInput[], awaited: boolean): readonly Input[] {
  const client = useQueryClient()
  // Renders again when an intent has another state, or a content another place.
  useSyncExternalStore(onStorageChange, () => drafts.map(({ id }) => stateOfIntent(id)).join())
  useSyncExternalStore(inputContents.subscribe, () => drafts.map(({ id }) => inputContents.placeOf(id)).join())
  const sent = drafts.flatMap(({ uploadId }) => uploadId ?? [])
  const uploads = useQueries({ queries: sent.map((uploadId) => uploadOptions(uploadId, awaited)) })

  // A page that was closed between choosing and sending left an input without an intent. The input is sent now.
  const atFirst = useRef(drafts)
  useEffect(() => {
    const sendUnsent = async (draft: DraftInput) => {
      if (draft.uploadId !== undefined || draft.problem !== undefined) return
      const hasContent = (await inputContents.read(draft.id)) !== undefined
      if (hasContent && uploadIntents(draft.id).read() === undefined) sendInput(draft, client)
    }
    for (const draft of atFirst.current) void sendUnsent(draft)
    atFirst.current = []
  }, [client])

  return drafts.map((draft) => {
    if (draft.uploadId === undefined) {
      return { draft, state: stateOfIntent(draft.id) ?? stateBeforeIntent(draft), upload: undefined, error: undefined }
    }
    const query = uploads[sent.indexOf(draft.uploadId)]
    const error = query?.error instanceof DeskError ? query.error : undefined
    return { draft, state: stateOfUpload(query?.data, error), upload: query?.data, error }
  })
}

/** An input without a stored intent is about to be sent, unless something prevents that. */
function stateBeforeIntent({ id, mediaType, problem }: DraftInput): InputState {
  const canBeSent = mediaType !== undefined && problem === undefined && inputContents.placeOf(id) !== "nowhere"
  return canBeSent ? "sending" : "unsent"
}

function stateOfUpload(upload: InputUpload | undefined, error: DeskError | undefined): InputState {
  // After any other error the state that was read last still holds.
  if (error?.failure === "not-visible") return "lost"
  return upload?.status ?? "reading"
}

function stateOfIntent(inputId: string): InputState | undefined {
  const state = uploadIntents(inputId).read()?.state
  return state === "recorded" ? "reading" : state
}
