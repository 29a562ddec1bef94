import { countCharacters, OBJECTIVE_MAX_CHARACTERS } from "../../contract/limits.ts"
import type { CreateWorkRequest } from "../../contract/resources.ts"
import { surrogateProblem } from "./read-input-file.ts"
import { readTimeLimit } from "./time-limit.ts"
import type { WorkDraft } from "./work-draft.ts"

export type FieldName = "colleague" | "objective" | "title" | "due" | "timeLimit"

/** What keeps a draft from being sent. `missing` is said when the person tries; everything else at once. */
export type Fault = { readonly field: FieldName; readonly sentence: string; readonly missing: boolean }

/** A colleague as the desk offers it. */
export type Colleague = { readonly id: string; readonly label: string }

const digits = new Intl.NumberFormat("en")

/** The faults of a draft, in the order of the form (API specification, CreateWorkRequest). */
export function faultsOf(draft: WorkDraft, colleagueId: string): readonly Fault[] {
  const faults: Fault[] = []
  const missing = (field: FieldName, sentence: string) => faults.push({ field, sentence, missing: true })
  const wrong = (field: FieldName, sentence: string | undefined) => {
    if (sentence !== undefined) faults.push({ field, sentence, missing: false })
  }
  if (colleagueId === "") missing("colleague", "Say which colleague is to do it.")
  wrong("colleague", surrogateProblem(colleagueId))
  if (draft.objective === "") missing("objective", "Say what should be true when it is done.")
  wrong("objective", lengthProblem(draft.objective))
  wrong("objective", surrogateProblem(draft.objective))
  wrong("title", surrogateProblem(draft.title))
  if (draft.due !== "" && momentOfDue(draft.due) === undefined) wrong("due", "This is no date and time.")
  if (draft.timeLimit.trim() !== "") {
    const limit = readTimeLimit(draft.timeLimit)
    if ("problem" in limit) wrong("timeLimit", limit.problem)
  }
  return faults
}

/** The request that a draft without faults makes, its uploads in the order of the rail. */
export function requestOf(draft: WorkDraft, colleagueId: string): CreateWorkRequest {
  const uploads = draft.inputs.flatMap((input) => input.uploadId ?? [])
  const limit = draft.timeLimit.trim() === "" ? undefined : readTimeLimit(draft.timeLimit)
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

/** The id that the text in `Colleague` means: itself, unless it is the label of one that the desk offers. */
export function colleagueIdOf(text: string, offered: readonly Colleague[]): string {
  const typed = text.trim()
  if (offered.some(({ id }) => id === typed)) return typed
  return offered.find(({ label }) => label === typed)?.id ?? typed
}

/** The moment that a datetime-local control names, which knows no zone but the reader's own. */
export function momentOfDue(due: string): Date | undefined {
  const moment = new Date(due)
  return due === "" || Number.isNaN(moment.getTime()) ? undefined : moment
}

function lengthProblem(objective: string): string | undefined {
  const over = countCharacters(objective) - OBJECTIVE_MAX_CHARACTERS
  if (over <= 0) return undefined
  return `${digits.format(over)} ${over === 1 ? "character" : "characters"} too many: at most ${digits.format(OBJECTIVE_MAX_CHARACTERS)}.`
}
