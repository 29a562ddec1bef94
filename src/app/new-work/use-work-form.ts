import { useMissingRole } from "../client/missing-role.ts"
import { retryAtOf } from "../client/stored-intent.ts"
import { useIsWaiting } from "../ui/clocks.tsx"
import { useColleague } from "./colleague-field.tsx"
import { whyNotCreated } from "./create-outcome.tsx"
import { problemsOf, requestOf } from "./create-request.ts"
import { useCreateWork } from "./use-create-work.ts"
import { useInputs } from "./use-inputs.ts"
import type { WorkDraft } from "./work-draft.ts"

/**
 * Whether the Work of the draft can be created now, and how. It cannot before all inputs are ready, and nothing is sent later by itself.
 *
 * @param isReading true while a chosen file is still being read
 */
export function useWorkForm(draft: WorkDraft, isReading: boolean) {
  const colleague = useColleague(draft)
  const inputs = useInputs(draft.inputs)
  const problems = problemsOf(draft, colleague.id)
  const work = useCreateWork(draft, requestOf(draft, colleague.id), colleague.idOf)
  const { intent, unchanged } = work
  const isSending = intent?.state === "sending" || intent?.state === "recorded"
  const missingRole = useMissingRole("createWork")
  const isPausing = useIsWaiting(unchanged ? retryAtOf(intent) : undefined)

  // The uploads of a request without an answer may be attached to a Work already, and only the same request can use them.
  const isOutcomeUnknown = intent?.state === "unknown"
  const why = missingRole ?? whyNotCreated(problems, isOutcomeUnknown && unchanged ? [] : inputs, isReading)

  return {
    colleague,
    inputs,
    problems,
    work,
    isSending,
    sentUploads: (isOutcomeUnknown && intent.input.input_upload_ids) || [],
    why,
    isBlocked: isSending || isPausing || why !== undefined,
  }
}
