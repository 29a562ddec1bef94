import { useQueries, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useSyncExternalStore } from "react"
import type { InputUpload } from "../../contract/resources.ts"
import { DeskError } from "../client/desk-error.ts"
import { onStorageChange } from "../client/storage.ts"
import { inputContents } from "./input-content.ts"
import { sendInput, uploadIntents, uploadOptions } from "./uploads.ts"
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
  const intents = useIntentStates(drafts)
  const placesNow = () => drafts.map(({ id }) => inputContents.placeOf(id)).join(" ")
  const places = useSyncExternalStore(inputContents.subscribe, placesNow).split(" ")
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

  return drafts.map((draft, index) => {
    if (draft.uploadId === undefined) {
      return {
        draft,
        state: intents[index] ?? stateBeforeIntent(draft, places[index]),
        upload: undefined,
        error: undefined,
      }
    }
    const query = uploads[sent.indexOf(draft.uploadId)]
    const error = query?.error instanceof DeskError ? query.error : undefined
    return { draft, state: stateOfUpload(query?.data, error), upload: query?.data, error }
  })
}

/** An input without a stored intent is about to be sent, unless something prevents that. */
function stateBeforeIntent({ mediaType, problem }: DraftInput, place: string | undefined): InputState {
  const canBeSent = mediaType !== undefined && problem === undefined && place !== "nowhere"
  return canBeSent ? "sending" : "unsent"
}

function stateOfUpload(upload: InputUpload | undefined, error: DeskError | undefined): InputState {
  // After any other error the state that was read last still holds.
  if (error?.failure === "not-visible") return "lost"
  return upload?.status ?? "reading"
}

/** The states of the inputs' upload intents; undefined where nothing was sent yet. */
function useIntentStates(drafts: readonly DraftInput[]): readonly (InputState | undefined)[] {
  const snapshot = useSyncExternalStore(onStorageChange, () =>
    drafts.map(({ id }) => uploadIntents(id).read()?.state ?? "").join(" "),
  )
  const states = snapshot.split(" ")
  return drafts.map((_, index) => stateOfIntent(states[index] ?? ""))
}

function stateOfIntent(state: string): InputState | undefined {
  if (state === "recorded") return "reading"
  return state === "sending" || state === "waiting" || state === "unknown" || state === "refused" ? state : undefined
}
