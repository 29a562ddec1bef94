import { countCharacters, OBJECTIVE_MAX_CHARACTERS } from "../../contract/limits.ts"
import type { CreateWorkRequest } from "../../contract/resources.ts"
import { plural, surrogateProblem } from "./read-input-file.ts"
import { readTimeLimit } from "./time-limit.ts"
import type { WorkDraft } from "./work-draft.ts"

export type FieldName = "colleague" | "objective" | "title" | "due" | "timeLimit"

/** Why a draft cannot be sent. A missing value is shown when the person tries to send, any other problem at once. */
export type DraftProblem = { readonly field: FieldName; readonly sentence: string; readonly missing: boolean }

export type Colleague = { readonly id: string; readonly label: string }

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
  if (draft.due !== "" && momentOfDue(draft.due) === undefined) wrong("due", "This is not a date and time.")
  const limit = readTimeLimit(draft.timeLimit)
  if (limit !== undefined && "problem" in limit) wrong("timeLimit", limit.problem)
  return problems
}

/** The request of a draft without problems. */
export function requestOf(draft: WorkDraft, colleagueId: string): CreateWorkRequest {
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
  }
}

/** The id of the colleague whom a text names: of the offered colleague with this label, else the text itself. */
export function colleagueIdOf(text: string, offered: readonly Colleague[]): string {
  const typed = text.trim()
  if (offered.some(({ id }) => id === typed)) return typed
  return offered.find(({ label }) => label === typed)?.id ?? typed
}

/** The time that a `datetime-local` control holds, in the time zone of the reader. */
export function momentOfDue(due: string): Date | undefined {
  const moment = new Date(due)
  return due === "" || Number.isNaN(moment.getTime()) ? undefined : moment
}

function lengthProblem(objective: string): string | undefined {
  const over = countCharacters(objective) - OBJECTIVE_MAX_CHARACTERS
  if (over <= 0) return undefined
  return `${plural(over, "character")} too many: at most ${OBJECTIVE_MAX_CHARACTERS.toLocaleString("en")}.`
}
