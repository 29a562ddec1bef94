import { useMemo } from "react"
import type { VisibilityScope, WorkPriority } from "../../contract/resources.ts"
import { readDraft, useDraft, writeDraft } from "../client/draft.ts"
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

const SUBJECT = "new-work"

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

/** The draft of new Work: one for the browser, whichever tab writes it. */
export function useWorkDraft(): WorkDraft {
  const [text] = useDraft(SUBJECT)
  return useMemo(() => parse(text), [text])
}

/** The draft as it is stored now. */
export function readWorkDraft(): WorkDraft {
  return parse(readDraft(SUBJECT))
}

/** Changes the stored draft, whatever another tab made of it meanwhile. Gives the draft as it is then. */
export function changeWorkDraft(change: (draft: WorkDraft) => Partial<WorkDraft>): WorkDraft {
  const before = readWorkDraft()
  const after = { ...before, id: before.id === "" ? crypto.randomUUID() : before.id, ...change(before) }
  writeDraft(SUBJECT, JSON.stringify(after))
  return after
}

/** Forgets the draft itself. */
export function removeWorkDraft(): void {
  writeDraft(SUBJECT, "")
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

function parse(text: string): WorkDraft {
  if (text === "") return EMPTY
  try {
    // Only this module writes under its subject; a member that an earlier version did not have gets its default.
    return { ...EMPTY, ...(JSON.parse(text) as Partial<WorkDraft>) }
  } catch {
    return EMPTY
  }
}
