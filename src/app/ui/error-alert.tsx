import { type ComponentType, lazy, type ReactNode, Suspense } from "react"
import type { DeskError } from "../client/desk-error.ts"
import type { HintProps } from "./error-hint.tsx"
import type { ErrorWords } from "./error-words.ts"
import { Identifier } from "./identifier.tsx"
import { Notice, NoticeLine } from "./notice.tsx"
import { OutsideText } from "./outside-text.tsx"

type Props = {
  error: DeskError
  /** Plain words of the page, where the failure alone does not say what happened. */
  words?: ErrorWords | undefined
  /** Says what was kept: "Your answer is kept." */
  kept?: string
  /** When the app tries again by itself, in milliseconds since 1970. */
  retryAt?: number | undefined
  /** A way out: buttons or links. */
  action?: ReactNode
  compact?: boolean
}

/** The words that are at hand before the code with the words for all errors is loaded. */
const KnownHint = ({ words, kept }: HintProps): ReactNode =>
  [words?.happened, kept, words?.toDo].filter(Boolean).join(" ")

const ErrorHint = lazy<ComponentType<HintProps>>(async () => {
  try {
    const { ErrorHint } = await import("./error-hint.tsx")
    return { default: ErrorHint }
  } catch {
    // The desk is out of reach, so its code cannot be loaded. The alert itself says that the desk is out of reach.
    return { default: KnownHint }
  }
})

/**
 * An error with a way out: the title and detail of the Problem word for word, our plain words, what was kept, when it is tried again, and
 * the request id to copy.
 */
export function ErrorAlert({ error, words, kept, retryAt, action, compact = false }: Props) {
  const hint = { error, words, kept, retryAt }
  return (
    <Notice announce="alert" tone="bad" icon="warning" compact={compact}>
      <strong>
        <OutsideText>{error.title}</OutsideText>
      </strong>
      {error.detail !== "" && (
        <div>
          <OutsideText multiline>{error.detail}</OutsideText>
        </div>
      )}
      <div className="small soft">
        <Suspense fallback={<KnownHint {...hint} />}>
          <ErrorHint {...hint} />
        </Suspense>
      </div>
      {error.failureCode !== undefined && (
        <div className="small">
          Failure code <Identifier value={error.failureCode} />
        </div>
      )}
      {error.requestId !== undefined && (
        <div className="small soft">
          Request ID <Identifier value={error.requestId} copyable="Request ID" />
        </div>
      )}
      {action !== undefined && action !== false && <NoticeLine>{action}</NoticeLine>}
    </Notice>
  )
}
