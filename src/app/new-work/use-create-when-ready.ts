import { useEffect } from "react"
import { number, object, picklist, string } from "valibot"
import { defineKind, useEntry } from "../client/storage.ts"
import { type Input, isStuck } from "./use-inputs.ts"

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

/** Whether the draft waits for its scans, or its wait has ended without a Work. */
export function useWaitOf(draftId: string): Wait["state"] | undefined {
  const wait = useEntry(storedWait())
  return draftId !== "" && wait?.draftId === draftId ? wait.state : undefined
}

type WhatToCreate = {
  readonly draftId: string
  readonly inputs: readonly Input[]
  /** False while a chosen file is still being read. */
  readonly allRead: boolean
  /** Whether everything else of the draft can be sent. */
  readonly canCreate: boolean
  readonly create: () => void
}

/**
 * Lets the Work wait for its scans: `wait` begins to wait, and `create` is called once when every input is ready. The wait ends without a
 * Work when an input fails, when the person leaves the form, and where a reload comes later than five minutes after the click.
 */
export function useCreateWhenReady({ draftId, inputs, allRead, canCreate, create }: WhatToCreate) {
  const state = useWaitOf(draftId)
  useEffect(() => {
    const wait = storedWait().read()
    if (wait !== undefined && Math.abs(Date.now() - wait.since) > KEPT_MS) endWait()
    return () => {
      // React also ends an effect that it begins again at once.
      if (location.pathname !== FORM_PATH) endWait()
    }
  }, [])
  const ready = allRead && inputs.every((input) => input.state === "ready")
  const failed = !canCreate || inputs.some(isStuck)
  useEffect(() => {
    // The effect above may have ended it.
    if (storedWait().read()?.state !== "waiting" || state !== "waiting" || !(ready || failed)) return
    storedWait().remove()
    if (ready && canCreate) create()
  })
  return {
    state,
    wait: () => void storedWait().write({ draftId, since: Date.now(), state: "waiting" }),
    /** Ends the wait, or forgets that it has ended. */
    forget: () => storedWait().remove(),
  }
}

const FORM_PATH = "/work/new"

function endWait(): void {
  const wait = storedWait().read()
  if (wait?.state === "waiting") storedWait().write({ ...wait, state: "ended" })
}
