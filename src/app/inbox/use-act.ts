import { useState } from "react"
import { DeskError } from "../client/desk-error.ts"

/** Runs what a click begins. `error` says why the last one failed; the next one forgets it. */
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
