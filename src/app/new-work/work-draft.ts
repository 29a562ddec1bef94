import { array, type InferOutput, number, object, optional, picklist, string } from "valibot"
import { UPLOAD_MEDIA_TYPES } from "../../contract/limits.ts"
import { defineKind, useEntry } from "../client/storage.ts"

/** An input of the draft. Its content is stored apart (`inputContents` of uploads.ts), and its Idempotency-Key with its intent. */
const draftInput = object({
  /** The browser's own id, a new one for each upload. */
  id: string(),
  name: string(),
  bytes: number(),
  /** Undefined until the person has chosen a media type. */
  mediaType: optional(picklist(UPLOAD_MEDIA_TYPES)),
  /** Why the input cannot be sent, in a sentence. */
  problem: optional(string()),
  /** The service's id of the upload; undefined until the service has answered. */
  uploadId: optional(string()),
})

export type DraftInput = Readonly<InferOutput<typeof draftInput>>

/** The form of new Work: texts as they were typed. */
const draft = object({
  /** Identifies the intent to create this Work; empty while nothing was entered. */
  id: string(),
  /** Undefined until the person types. Until then the field shows the colleague that was used last. */
  colleague: optional(string()),
  objective: string(),
  title: string(),
  priority: picklist(["low", "normal", "high", "urgent"]),
  visibility: picklist(["private", "team", "organization"]),
  /** In the form of a `datetime-local` control, in the reader's time zone: `2026-11-27T17:00`. */
  due: string(),
  timeLimit: string(),
  inputs: array(draftInput),
})

export type WorkDraft = Readonly<InferOutput<typeof draft>>

const EMPTY: WorkDraft = {
  id: "",
  objective: "",
  title: "",
  priority: "normal",
  visibility: "private",
  due: "",
  timeLimit: "",
  inputs: [],
}

/** The stored draft of new Work. */
export const workDraft = defineKind<readonly [], WorkDraft>({
  name: "new-work-draft",
  version: 1,
  schema: draft,
  forgetAfterMs: 90 * 24 * 60 * 60_000,
})

/** The draft of new Work. A person has one draft, shared by all tabs. */
export function useWorkDraft(): WorkDraft {
  return useEntry(workDraft()) ?? EMPTY
}

/** The present draft. */
export function readWorkDraft(): WorkDraft {
  return workDraft().read() ?? EMPTY
}

/** Changes the present draft, which another tab may have changed meanwhile, and returns the result. */
export function changeWorkDraft(change: (draft: WorkDraft) => Partial<WorkDraft>): WorkDraft {
  const before = readWorkDraft()
  const after = { ...before, id: before.id === "" ? crypto.randomUUID() : before.id, ...change(before) }
  workDraft().write(after)
  return after
}

/** Whether nothing was typed or attached. The choices of a colleague, a priority and a visibility do not count. */
export function isBlank(draft: WorkDraft): boolean {
  return (
    draft.objective === "" &&
    draft.title === "" &&
    draft.due === "" &&
    draft.timeLimit === "" &&
    draft.inputs.length === 0
  )
}
