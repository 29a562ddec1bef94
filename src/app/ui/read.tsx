import type { ReactNode } from "react"
import type { DeskError } from "../client/desk-error.ts"
import { ReadError } from "./error-alert.tsx"

type Props<Data> = {
  /** A query, or what is like one. */
  query: { readonly data: Data | undefined; readonly error: DeskError | null; readonly refetch: () => unknown }
  /** Shown until the first answer. */
  loading: ReactNode
  /** What stays on the page where a later read fails. */
  kept?: string
  /** What the answer looks like. An empty answer is said here, too. */
  children: (data: Data) => ReactNode
}

/** What a query has read, below the error of its last read. */
export function Read<Data>({ query: { data, error, refetch }, loading, kept, children }: Props<Data>) {
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
