/** The draft of new Work: what is stored of it, what is wrong with it, and the request that it makes. */
import { array, type InferOutput, number, object, optional, picklist, string } from "valibot"
import { countCharacters, OBJECTIVE_MAX_CHARACTERS, UPLOAD_MEDIA_TYPES } from "../../contract/limits.ts"
import { defineKind, useEntry } from "../client/storage.ts"
import type { CreateWorkRequest, VisibilityScope } from "../../contract/resources.ts"
import { PRIORITIES } from "../../contract/work-order.ts"
import { formatNumber, plural } from "../../contract/plural.ts"
import { surrogateProblem } from "./read-input-file.ts"
import { readTimeLimit } from "./time-limit.ts"

/** An input of the draft. Its content is stored apart (`inputContents` of input-uploads.ts), and its Idempotency-Key with its intent. */
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

export const VISIBILITY_SCOPES = ["private", "team", "organization"] as const satisfies readonly VisibilityScope[]

/** The form of new Work: texts as they were typed. */
const draft = object({
  /** Identifies the intent to create this Work; empty while nothing was entered. */
  id: string(),
  /** Undefined until the person types. Until then the field shows the colleague that was used last. */
  colleague: optional(string()),
  objective: string(),
  title: string(),
  priority: picklist(PRIORITIES),
  visibility: picklist(VISIBILITY_SCOPES),
  /** In the form of a `datetime-local` control, in the reader's time zone: `2026-11-27T17:00`. */
  due: string(),
  timeLimit: string(),
  inputs: array(draftInput),
  /** The Work that this one is delegated instead of. */
  again: optional(
    object({
      workId: string(),
      title: string(),
      /** The names of its files that cannot be used again. Undefined: nobody knows which files it had. */
      lostFiles: optional(array(string())),
      /** The names of its files that exceed the limit of the form. */
      noRoomFor: optional(array(string())),
      /** Its values that the form doesn't offer: `priority “asap”`. */
      unknown: optional(array(string())),
    }),
  ),
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

export const workDraft = defineKind<readonly [], WorkDraft>({
  name: "new-work-draft",
  schema: draft,
  keptDays: 90,
})

/** The draft of new Work. A person has one draft, shared by all tabs. */
export function useWorkDraft(): WorkDraft {
  return useEntry(workDraft()) ?? EMPTY
}

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

export type FieldName = "colleague" | "objective" | "title" | "due" | "timeLimit"

/** Why a draft cannot be sent. A missing value is shown when the person tries to send, any other problem at once. */
export type DraftProblem = { readonly field: FieldName; readonly sentence: string; readonly missing: boolean }

export type Colleague = { readonly id: string; readonly label: string; readonly does?: string }

/** The problems of a draft, in the order of the form (openapi.yaml, CreateWorkRequest). */
export function problemsOf(draft: WorkDraft, colleagueId: string): readonly DraftProblem[] {
  const problems: DraftProblem[] = []
  const missing = (field: FieldName, sentence: string) => problems.push({ field, sentence, missing: true })
  const wrong = (field: FieldName, sentence: string | undefined) => {
    if (sentence !== undefined) problems.push({ field, sentence, missing: false })
  }
  if (colleagueId === "") missing("colleague", "Choose a colleague.")
  wrong("colleague", surrogateProblem(colleagueId))
  if (draft.objective === "") missing("objective", "Write an objective.")
  wrong("objective", lengthProblem(draft.objective))
  wrong("objective", surrogateProblem(draft.objective))
  wrong("title", surrogateProblem(draft.title))
  if (draft.due !== "" && momentOfDue(draft.due) === undefined) wrong("due", "Enter a date and time.")
  const limit = readTimeLimit(draft.timeLimit)
  if (limit !== undefined && "problem" in limit) wrong("timeLimit", limit.problem)
  return problems
}

/** What is sent: the body of createWork, and the id for the header `Desk-Instead-Of`. */
export type DelegateRequest = CreateWorkRequest & { readonly insteadOf?: string }

/** A header can hold no other id. */
const HEADER_SAFE = /^[!-~](?:[ -~]*[!-~])?$/

/** The request of a draft without problems. */
export function requestOf(draft: WorkDraft, colleagueId: string): DelegateRequest {
  const uploads = draft.inputs.flatMap((input) => input.uploadId ?? [])
  const limit = readTimeLimit(draft.timeLimit)
  const due = momentOfDue(draft.due)
  return {
    colleague_id: colleagueId,
    objective: draft.objective,
    ...(draft.title !== "" && { title: draft.title }),
    priority: draft.priority,
    visibility_scope: draft.visibility,
    ...(due !== undefined && { due_at: due.toISOString() }),
    ...(limit !== undefined && "seconds" in limit && { active_execution_limit_seconds: BigInt(limit.seconds) }),
    ...(uploads.length > 0 && { input_upload_ids: uploads }),
    ...(draft.again !== undefined && HEADER_SAFE.test(draft.again.workId) && { insteadOf: draft.again.workId }),
  }
}

/** The id of the colleague whom a text names: of the offered colleague with this label, else the text itself. */
export function colleagueIdOf(text: string, offered: readonly Colleague[]): string {
  const typed = text.trim()
  if (offered.some(({ id }) => id === typed)) return typed
  return offered.find(({ label }) => label === typed)?.id ?? typed
}

/** The longest title that the desk accepts. A longer heading stays in the objective alone. */
const TITLE_MAX = 1_000

/** The text of the Markdown heading in the first line of an objective. Undefined if the line is not a heading. */
export function headingOf(objective: string): string | undefined {
  const [line = ""] = objective.split(/\r?\n/, 1)
  const heading = /^ {0,3}#{1,6}[ \t]+(.*)$/
    .exec(line)?.[1]
    ?.replace(/(?:^|[ \t]+)#+[ \t]*$/, "")
    .trim()
  return heading === undefined || heading === "" || heading.length > TITLE_MAX ? undefined : heading
}

/** The time that a `datetime-local` control holds, in the time zone of the reader. */
export function momentOfDue(due: string): Date | undefined {
  const moment = new Date(due)
  return due === "" || Number.isNaN(moment.getTime()) ? undefined : moment
}

function lengthProblem(objective: string): string | undefined {
  const over = countCharacters(objective) - OBJECTIVE_MAX_CHARACTERS
  if (over <= 0) return undefined
  return `${plural(over, "character")} too many: at most ${formatNumber(OBJECTIVE_MAX_CHARACTERS)}.`
}
