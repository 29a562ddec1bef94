import { useEffect } from "react"
import { number, object, picklist, string } from "valibot"
import { defineKind, useEntry } from "../client/storage.ts"

/** A reload keeps the wait for so long after the click. Later the person may have changed their mind. */
const KEPT_MS = 5 * 60_000

/** The draft that waits for its scans, or whose wait has ended without a Work. */
type Wait = { readonly draftId: string; readonly since: number; readonly state: "waiting" | "ended" }

/** The wait belongs to the tab, so that two tabs do not both create the Work. */
const storedWait = defineKind<readonly [], Wait>({
  name: "create-when-ready",
  version: 2,
  schema: object({ draftId: string(), since: number(), state: picklist(["waiting", "ended"]) }),
  area: "tab",
  forgetAfterMs: 24 * 60 * 60_000,
})

/**
 * Whether the draft waits for its scans, or its wait has ended without a Work. The wait ends when the person leaves the form, and where a
 * reload comes later than five minutes after the click.
 */
export function useWaitForScans(draftId: string) {
  const wait = useEntry(storedWait())
  useEffect(() => {
    const wait = storedWait().read()
    if (wait !== undefined && Math.abs(Date.now() - wait.since) > KEPT_MS) endWait()
    return () => {
      // React also ends an effect that it begins again at once.
      if (location.pathname !== "/work/new") endWait()
    }
  }, [])
  return {
    state: draftId !== "" && wait?.draftId === draftId ? wait.state : undefined,
    /** Whether it still waits. An effect may have ended the wait since the render. */
    isWaiting: () => storedWait().read()?.state === "waiting",
    begin: () => void storedWait().write({ draftId, since: Date.now(), state: "waiting" }),
    /** Ends the wait, or forgets that it has ended. */
    forget: () => storedWait().remove(),
  }
}

function endWait(): void {
  const wait = storedWait().read()
  if (wait?.state === "waiting") storedWait().write({ ...wait, state: "ended" })
}
