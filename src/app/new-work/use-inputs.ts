import { useQueries, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useSyncExternalStore } from "react"
import type { InputUpload } from "../../contract/resources.ts"
import { DeskError } from "../client/desk-error.ts"
import { onStorageChange } from "../client/storage.ts"
import { readContent } from "./input-content.ts"
import { sendInput, uploadIntents, uploadOptions } from "./uploads.ts"
import type { DraftInput } from "./work-draft.ts"

/**
 * How a line of the rail stands. `unsent` has a problem or no kind yet; `sending`, `waiting`, `unknown` and `refused` are its
 * intent's; `reading` and `unreadable` are of the upload that the service has; the others are the service's own word.
 */
export type Standing =
  | "unsent"
  | "sending"
  | "waiting"
  | "unknown"
  | "refused"
  | "reading"
  | "unreadable"
  | InputUpload["status"]

export type Input = {
  readonly draft: DraftInput
  readonly standing: Standing
  readonly upload: InputUpload | undefined
  readonly error: DeskError | undefined
}

const PENDING: ReadonlySet<Standing> = new Set<Standing>(["sending", "waiting", "reading", "processing"])

/** Whether an input may still become ready by itself. */
export const isPending = ({ standing }: Input): boolean => PENDING.has(standing)

/** The lines of the rail with how each stands, kept current. */
export function useInputs(drafts: readonly DraftInput[], awaited: boolean): readonly Input[] {
  const client = useQueryClient()
  const intents = useIntentStates(drafts)
  const sent = drafts.flatMap(({ uploadId }) => uploadId ?? [])
  const uploads = useQueries({ queries: sent.map((uploadId) => uploadOptions(uploadId, awaited)) })

  // A page that ended between choosing and sending left a line without an intent: it is sent now.
  const atFirst = useRef(drafts)
  useEffect(() => {
    for (const draft of atFirst.current) {
      const begun = draft.uploadId !== undefined || uploadIntents(draft.id).read() !== undefined
      if (!begun && draft.problem === undefined && readContent(draft.id) !== undefined) sendInput(draft, client)
    }
    atFirst.current = []
  }, [client])

  return drafts.map((draft, index) => {
    if (draft.uploadId === undefined) {
      return { draft, standing: intents[index] ?? standingBefore(draft), upload: undefined, error: undefined }
    }
    const query = uploads[sent.indexOf(draft.uploadId)]
    const error = query?.error instanceof DeskError ? query.error : undefined
    return { draft, standing: standingOf(query?.data, error), upload: query?.data, error }
  })
}

/** A line whose intent is not written down yet is on its way, unless something keeps it from being sent. */
function standingBefore({ id, mediaType, problem }: DraftInput): Standing {
  const sendable = mediaType !== undefined && problem === undefined && readContent(id) !== undefined
  return sendable ? "sending" : "unsent"
}

function standingOf(upload: InputUpload | undefined, error: DeskError | undefined): Standing {
  // What could not be read just now is still as it was; what is not there any more is not.
  if (error?.isNotVisible === true) return "unreadable"
  return upload?.status ?? "reading"
}

/** The states of the lines' intents to upload; undefined where nothing was sent yet. */
function useIntentStates(drafts: readonly DraftInput[]): readonly (Standing | undefined)[] {
  const snapshot = useSyncExternalStore(onStorageChange, () =>
    drafts.map(({ id }) => uploadIntents(id).read()?.state ?? "").join(" "),
  )
  const states = snapshot.split(" ")
  return drafts.map((_, index) => standingOfIntent(states[index] ?? ""))
}

function standingOfIntent(state: string): Standing | undefined {
  if (state === "recorded") return "reading"
  return state === "sending" || state === "waiting" || state === "unknown" || state === "refused" ? state : undefined
}
