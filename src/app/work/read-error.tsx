import type { DeskError } from "../client/desk-error.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"

/** The pause of `client/polling.ts` after a failure that names no time. */
export const PAUSE_MS = 5000

type Props = { error: DeskError; errorAt: number; kept?: string; compact: boolean; onRetry: () => void }

/** A read that failed: it is tried again by itself where that can help, else by a button. */
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
