import { useState } from "react"
import { DeskError } from "../client/desk-error.ts"

/** Runs the request of a click. `error` says why the last request failed. The next click clears `error`. */
export function useAct() {
  const [error, setError] = useState<DeskError>()
  const act = (work: () => Promise<void>) => {
    setError(undefined)
    work().catch((cause: unknown) => {
      if (!(cause instanceof DeskError)) throw cause
      setError(cause)
    })
  }
  return { error, act }
}
