import { useEffect } from "react"
import { type InferOutput, number, object, picklist, string } from "valibot"
import { useMissingRole } from "../client/missing-role.ts"
import { defineKind, useEntry } from "../client/storage.ts"
import { retryAtOf } from "../client/stored-intent.ts"
import { useIsWaiting } from "../ui/clocks.tsx"
import { useColleague } from "./colleague-field.tsx"
import { whyNotCreated } from "./create-outcome.tsx"
import { problemsOf, requestOf } from "./create-request.ts"
import { isPending, isStuck } from "./input-state.ts"
import { isFormOpen, useCreateWork } from "./use-create-work.ts"
import { useInputs } from "./use-inputs.ts"
import type { WorkDraft } from "./work-draft.ts"

/**
 * Whether the Work of the draft can be created now, and how. Where an input is not ready yet, the Work is created once all inputs are ready.
 * That wait ends without a Work when an input fails.
 *
 * @param allRead false while a chosen file is still being read
 */
export function useWorkForm(draft: WorkDraft, allRead: boolean) {
  const wait = useWaitForScans(draft.id)
  const isWaiting = wait.state === "waiting"
  const colleague = useColleague(draft)
  const inputs = useInputs(draft.inputs, isWaiting)
  const problems = problemsOf(draft, colleague.id)
  const work = useCreateWork(draft, requestOf(draft, colleague.id), colleague.idOf)
  const { intent, unchanged } = work
  const isSending = intent?.state === "sending" || intent?.state === "recorded"
  const missingRole = useMissingRole("createWork")
  const isPausing = useIsWaiting(unchanged ? retryAtOf(intent) : undefined)

  // The uploads of a request without an answer may be attached to a Work already, and only the same request can use them.
  const isOutcomeUnknown = intent?.state === "unknown"
  const why = missingRole ?? whyNotCreated(problems, isOutcomeUnknown && unchanged ? [] : inputs)

  const isReady = allRead && inputs.every(({ state }) => state === "ready")
  const mustEndWait = problems.length > 0 || isSending || inputs.some(isStuck)
  useEffect(() => {
    // The effect of `useWaitForScans` may have ended the wait since this render.
    if (!isWaiting || storedWait().read()?.state !== "waiting" || !(isReady || mustEndWait)) return
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
    sentUploads: (isOutcomeUnknown && intent.input.input_upload_ids) || [],
    why,
    isBlocked: isSending || isWaiting || isPausing || why !== undefined,
    submit: () => (allRead && !inputs.some(isPending) ? work.create() : wait.begin()),
  }
}

/** A reload within this time after the click keeps the wait. Later the person may have changed their mind. */
const KEPT_MS = 5 * 60_000

/** The draft that waits for its scans, or whose wait has ended without a Work. */
const waitForScans = object({ draftId: string(), since: number(), state: picklist(["waiting", "ended"]) })

/** The wait belongs to the tab, so that two tabs do not both create the Work. */
const storedWait = defineKind<readonly [], InferOutput<typeof waitForScans>>({
  name: "create-when-ready",
  version: 2,
  schema: waitForScans,
  area: "tab",
  forgetAfterMs: 24 * 60 * 60_000,
})

/**
 * Whether the draft waits for its scans, or its wait has ended without a Work. The wait ends when the person leaves the form, and where a
 * reload comes later than five minutes after the click.
 */
function useWaitForScans(draftId: string) {
  const wait = useEntry(storedWait())
  useEffect(() => {
    const wait = storedWait().read()
    if (wait !== undefined && Math.abs(Date.now() - wait.since) > KEPT_MS) endWait()
    return () => {
      // React also ends an effect to begin the effect again at once. Then the address is still that of the form.
      if (!isFormOpen()) endWait()
    }
  }, [])
  return {
    state: draftId !== "" && wait?.draftId === draftId ? wait.state : undefined,
    begin: () => void storedWait().write({ draftId, since: Date.now(), state: "waiting" }),
    /** Ends the wait, or forgets that it has ended. */
    forget: () => storedWait().remove(),
  }
}

function endWait(): void {
  const wait = storedWait().read()
  if (wait?.state === "waiting") storedWait().write({ ...wait, state: "ended" })
}
