import { type DeskError, isSameError } from "../client/desk-error.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import styles from "./activity.module.css"
import type { FollowState } from "./follow-work.ts"

type Props = { state: FollowState; shownError: DeskError | undefined; tryNow: () => void }

/** Why the feed has stopped, in the Problem's own words, and what a person can do. */
export function StreamProblem({ state, shownError, tryNow }: Props) {
  const isStopped = state.name === "stopped"
  // Where the page says that the Work is missing, another attempt would find nothing to follow.
  const button = shownError?.failure === "not-visible" ? undefined : buttonOf(state)
  const action = button !== undefined && (
    <Button kind={isStopped ? "secondary" : "plain"} size="small" onClick={tryNow}>
      {button}
    </Button>
  )
  const error = refusalOf(state)
  const isShown = error !== undefined && !isSameError(error, shownError)
  if (!isShown && !action) return null
  return (
    <div className={styles["problem"]}>
      {isShown ? (
        <ErrorAlert
          error={error}
          // Before another attempt the status says what happened, and the alert adds the Problem's own words.
          words={isStopped ? undefined : { happened: "", toDo: "" }}
          kept="Events received so far are kept."
          retryAt={isStopped ? undefined : error.retryAt}
          action={action}
          compact
        />
      ) : (
        action
      )}
    </div>
  )
}

/**
 * The refusal to show as an alert: the one that stopped the feed, or a Problem with a `Retry-After` or a known outcome. Any other failure
 * may end at the next attempt, so that only the status shows it, and the page does not jump.
 */
function refusalOf(state: FollowState): DeskError | undefined {
  if (state.name === "stopped") return state.error
  if (state.name !== "reconnecting" || state.error?.kind !== "problem") return undefined
  return state.error.retryAt !== undefined || !state.error.outcomeUnknown ? state.error : undefined
}

function buttonOf(state: FollowState): string | undefined {
  if (state.name === "stopped") return "Try again"
  if (state.name === "paused" && state.reason === "elsewhere") return "Continue here"
  // No button ends the wait for a `Retry-After`.
  const isBackingOff = state.name === "reconnecting" && state.until !== undefined && state.error?.retryAt === undefined
  return isBackingOff ? "Try now" : undefined
}
