import { createContext, type ReactNode, use } from "react"
import type { DeskError } from "../client/desk-error.ts"
import { retriesAt } from "../client/polling.ts"
import { useWaiting, waitingError } from "../client/waiting.ts"
import { Button } from "./button.tsx"
import type { ErrorDetailsProps } from "./error-words.tsx"
import { Callout, CalloutLine } from "./callout.tsx"
import { OutsideText } from "./outside-text.tsx"
import { part } from "./part.tsx"

type Props = Omit<ErrorDetailsProps, "error"> & {
  /** Without an error, nothing is shown. */
  error: DeskError | null | undefined
  /** A way out: buttons or links. */
  action?: ReactNode
  compact?: boolean
}

/** What can be shown before the code of the details is loaded. */
const PlainDetails = ({ error, words, kept }: ErrorDetailsProps): ReactNode => (
  <div className="small soft">
    {[words?.happened, kept, words?.toDo].filter(Boolean).join(" ")}
    {error.requestId !== undefined && <OutsideText>{` Request ID ${error.requestId}`}</OutsideText>}
  </div>
)

// Where the desk is out of reach, its code cannot be loaded either. The alert itself says that the desk is out of reach.
const ErrorDetails = part("Details", async () => (await import("./error-words.tsx")).ErrorDetails, {
  loading: PlainDetails,
  missing: PlainDetails,
})

/**
 * An error with a way out: the title and detail of the Problem word for word, our plain words, what was kept, when the app tries again, and the
 * request id to copy.
 */
export function ErrorAlert({ error, action, compact = false, ...details }: Props) {
  if (error === null || error === undefined) return null
  return (
    <Callout announce="alert" tone="bad" icon="warning" compact={compact}>
      <strong>
        <OutsideText>{error.title}</OutsideText>
      </strong>
      {error.detail !== "" && (
        <div>
          <OutsideText multiline>{error.detail}</OutsideText>
        </div>
      )}
      <ErrorDetails error={error} {...details} />
      {action !== undefined && action !== false && <CalloutLine>{action}</CalloutLine>}
    </Callout>
  )
}

/** True in a dialog, which covers what the page reports. */
export const CoversPage = createContext(false)

type ReadErrorProps = { error: DeskError; kept?: string | undefined; compact: boolean; onRetry: () => void }

/**
 * A read that failed, and when the app tries again. Without a `Retry-After`, a button lets the person try at once. Says nothing if the page already
 * reports that the desk doesn't answer.
 */
export function ReadError({ error, kept, compact, onRetry }: ReadErrorProps) {
  const silence = useWaiting(waitingError)
  const isReported = !use(CoversPage) && error.kind !== "problem" && silence?.kind === error.kind
  const retry = error.retryAt === undefined && <Button onClick={onRetry}>Try again</Button>
  if (isReported) return kept === undefined && retry
  return <ErrorAlert error={error} retryAt={retriesAt(error)} compact={compact} kept={kept} action={retry} />
}

type ReadProps<Data> = {
  /** A query, or an object of the same form. */
  query: { readonly data: Data | undefined; readonly error: DeskError | null; readonly refetch: () => unknown }
  /** Shown until the first answer. */
  loading: ReactNode
  /** What stays on the page where a later read fails. */
  kept?: string
  /** Renders the answer, even an empty one. */
  children: (data: Data) => ReactNode
}

/** What a query has read, below the error of its last read. */
export function Read<Data>({ query: { data, error, refetch }, loading, kept, children }: ReadProps<Data>) {
  const isThere = data !== undefined
  return (
    <>
      {error !== null && (
        <ReadError error={error} compact={isThere} kept={isThere ? kept : undefined} onRetry={() => void refetch()} />
      )}
      {isThere ? children(data) : error === null && loading}
    </>
  )
}
