import type { DeskError } from "../client/desk-error.ts"
import { Button } from "./button.tsx"
import { ErrorAlert } from "./error-alert.tsx"

/** The pause after a failure without a `Retry-After`, as in `client/polling.ts`. */
export const PAUSE_MS = 5000

type Props = { error: DeskError; errorAt: number; kept?: string; compact: boolean; onRetry: () => void }

/** A read that failed. It says when the app tries again by itself, and has a button for the person. */
export function ReadError({ error, errorAt, kept, compact, onRetry }: Props) {
  const retryAt = error.retryAt ?? (error.retryable || error.outcomeUnknown ? errorAt + PAUSE_MS : undefined)
  return (
    <ErrorAlert
      error={error}
      retryAt={retryAt}
      compact={compact}
      {...(kept !== undefined && { kept })}
      {...(error.retryAt === undefined && { action: <Button onClick={onRetry}>Try again</Button> })}
    />
  )
}
