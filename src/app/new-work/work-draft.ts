import { array, number, object, optional, picklist, string } from "valibot"
import type { VisibilityScope, WorkPriority } from "../../contract/resources.ts"
import { UPLOAD_MEDIA_TYPES } from "../../contract/limits.ts"
import { defineKind, useEntry } from "../client/storage.ts"
import type { UploadMediaType } from "./media-type.ts"

/** One line of the upload rail. Its content is kept beside the draft (input-content), its key with its intent. */
export type DraftInput = {
  /** Ours, a new one for each intent to upload. */
  readonly id: string
  readonly name: string
  readonly bytes: number
  /** Undefined until the person has said which kind it is. */
  readonly mediaType?: UploadMediaType | undefined
  /** Why it cannot be sent, in a sentence. */
  readonly problem?: string | undefined
  /** The service's id, once it has taken it. */
  readonly uploadId?: string | undefined
}

/** What a person has entered about new Work: texts as typed, before anything is made of them. */
export type WorkDraft = {
  /** Of this intent to create; empty while nothing was entered. */
  readonly id: string
  /** Undefined until it is typed, so that the last one used can stand there. */
  readonly colleague?: string | undefined
  readonly objective: string
  readonly title: string
  readonly priority: WorkPriority
  readonly visibility: VisibilityScope
  /** As the control writes it, in the reader's own zone: `2026-11-27T17:00`. */
  readonly due: string
  readonly timeLimit: string
  readonly inputs: readonly DraftInput[]
}

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

const workDraft = defineKind<readonly [], WorkDraft>({
  name: "new-work-draft",
  version: 1,
  schema: object({
    id: string(),
    colleague: optional(string()),
    objective: string(),
    title: string(),
    priority: picklist(["low", "normal", "high", "urgent"]),
    visibility: picklist(["private", "team", "organization"]),
    due: string(),
    timeLimit: string(),
    inputs: array(
      object({
        id: string(),
        name: string(),
        bytes: number(),
        mediaType: optional(picklist(UPLOAD_MEDIA_TYPES)),
        problem: optional(string()),
        uploadId: optional(string()),
      }),
    ),
  }),
  forgetAfterMs: 90 * 24 * 60 * 60_000,
  maxCharacters: 300_000,
  mayGo: false,
})

/** The draft of new Work: one for the person, whichever tab writes it. */
export function useWorkDraft(): WorkDraft {
  return useEntry(workDraft()) ?? EMPTY
}

/** The draft as it is stored now. */
export function readWorkDraft(): WorkDraft {
  return workDraft().read() ?? EMPTY
}

/** Changes the stored draft, whatever another tab made of it meanwhile. Gives the draft as it is then. */
export function changeWorkDraft(change: (draft: WorkDraft) => Partial<WorkDraft>): WorkDraft {
  const before = readWorkDraft()
  const after = { ...before, id: before.id === "" ? crypto.randomUUID() : before.id, ...change(before) }
  workDraft().write(after)
  return after
}

/** Forgets the draft itself. */
export function removeWorkDraft(): void {
  workDraft().remove()
}

/** Whether nothing was entered that somebody would miss. */
export function isBlank(draft: WorkDraft): boolean {
  return (
    draft.objective === "" &&
    draft.title === "" &&
    draft.due === "" &&
    draft.timeLimit === "" &&
    draft.inputs.length === 0
  )
}
