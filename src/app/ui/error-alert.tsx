import { type ComponentType, lazy, type ReactNode, Suspense } from "react"
import type { DeskError } from "../client/desk-error.ts"
import type { HintProps } from "./error-hint.tsx"
import type { ErrorWords } from "./error-words.ts"
import { Identifier } from "./identifier.tsx"
import { Notice, NoticeLine } from "./notice.tsx"
import { OutsideText } from "./outside-text.tsx"

type Props = {
  error: DeskError
  /** Plain words where the page knows better than the failure alone what happened. */
  words?: ErrorWords | undefined
  /** Says what was kept: "Your answer is kept." */
  kept?: string
  /** When the app tries again by itself, in milliseconds since 1970. */
  retryAt?: number | undefined
  /** A way out: buttons or links. */
  action?: ReactNode
  compact?: boolean
}

/** The words that are known without loading the words for every error. */
const KnownHint = ({ words, kept }: HintProps): ReactNode =>
  [words?.happened, kept, words?.toDo].filter(Boolean).join(" ")

const ErrorHint = lazy<ComponentType<HintProps>>(async () => {
  try {
    const { ErrorHint } = await import("./error-hint.tsx")
    return { default: ErrorHint }
  } catch {
    // Neither code nor styles can be loaded while the desk is out of reach, which is then the error itself.
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
