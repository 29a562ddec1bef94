import { useState } from "react"
import { DeskError } from "../client/desk-error.ts"

/**
 * Runs the request of a click, one at a time. `error` says why the last request failed. The next click clears `error`.
 */
export function useAct() {
  const [error, setError] = useState<DeskError>()
  const [isPending, setIsPending] = useState(false)
  const act = (work: () => Promise<void>) => {
    if (isPending) return
    setError(undefined)
    setIsPending(true)
    work()
      .catch((cause: unknown) => {
        if (!(cause instanceof DeskError)) throw cause
        setError(cause)
      })
      .finally(() => setIsPending(false))
  }
  return { error, isPending, act }
}
