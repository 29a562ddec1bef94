import { useEffect } from "react"
import { useMissingRole } from "../client/missing-role.ts"
import { useIsWaiting } from "../ui/countdown.tsx"
import { useColleague } from "./colleague-field.tsx"
import { whyNotCreated } from "./create-outcome.tsx"
import { problemsOf, requestOf } from "./create-request.ts"
import { isPending, isStuck } from "./input-state.ts"
import { useCreateWork } from "./use-create-work.ts"
import { useInputs } from "./use-inputs.ts"
import { useWaitForScans } from "./use-wait-for-scans.ts"
import type { WorkDraft } from "./work-draft.ts"

/**
 * Whether the Work of the draft can be created now, and how. Where an input is not ready yet, the Work is created once, when all are. That wait
 * ends without a Work when an input fails.
 *
 * @param allRead false while a chosen file is still being read
 */
export function useCreation(draft: WorkDraft, allRead: boolean) {
  const wait = useWaitForScans(draft.id)
  const isWaiting = wait.state === "waiting"
  const colleague = useColleague(draft)
  const inputs = useInputs(draft.inputs, isWaiting)
  const problems = problemsOf(draft, colleague.id)
  const work = useCreateWork(draft, requestOf(draft, colleague.id), colleague.idOf)
  const { intent, unchanged } = work
  const isSending = intent?.state === "sending" || intent?.state === "recorded"
  const missingRole = useMissingRole("createWork")
  const isPausing = useIsWaiting(intent?.state === "waiting" && unchanged ? intent.error.retryAt : undefined)

  // The uploads of a request without an answer may be attached to a Work already, and only the same request can use them.
  const isUnknown = intent?.state === "unknown"
  const why = missingRole ?? whyNotCreated(problems, isUnknown && unchanged ? [] : inputs)

  const isReady = allRead && inputs.every(({ state }) => state === "ready")
  const cannotBe = problems.length > 0 || isSending || inputs.some(isStuck)
  useEffect(() => {
    if (!isWaiting || !wait.isWaiting() || !(isReady || cannotBe)) return
    wait.forget()
    if (problems.length === 0 && isReady && !isSending) work.create()
  })

  return {
    colleague,
    inputs,
    problems,
    work,
    wait,
    isSending,
    sentUploads: (isUnknown && intent.input.input_upload_ids) || [],
    /** Why the Work cannot be created, in sentences. */
    why,
    isBlocked: isSending || isWaiting || isPausing || why !== undefined,
    submit: () => (allRead && !inputs.some(isPending) ? work.create() : wait.begin()),
  }
}
