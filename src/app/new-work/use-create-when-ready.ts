import { useEffect, useState } from "react"
import { type Input, isPending } from "./use-inputs.ts"

/** The draft that waits in this tab: here, not in the browser, so that no two tabs create what was asked for once. */
const NAME = "workdesk:create-when-ready"

function remembered(): string {
  try {
    return sessionStorage.getItem(NAME) ?? ""
  } catch {
    return ""
  }
}

function remember(draftId: string): void {
  try {
    if (draftId === "") sessionStorage.removeItem(NAME)
    else sessionStorage.setItem(NAME, draftId)
  } catch {
    // It is then forgotten at a reload, and the person presses again.
  }
}

export type CreateWhenReady = {
  readonly waiting: boolean
  readonly wait: () => void
  readonly cancel: () => void
}

/** Whether the draft is to be created as soon as its last scan passes; a reload does not forget it, another input ends it. */
export function useCreateWhenReady(draftId: string): CreateWhenReady {
  const [waitingFor, setWaitingFor] = useState(remembered)
  const set = (id: string) => {
    remember(id)
    setWaitingFor(id)
  }
  return {
    waiting: draftId !== "" && waitingFor === draftId,
    wait: () => set(draftId),
    cancel: () => set(""),
  }
}

type Awaited = {
  readonly inputs: readonly Input[]
  /** False while something that was chosen is still being read. */
  readonly allRead: boolean
  /** False where the rest of the draft cannot be created. */
  readonly able: boolean
  readonly create: () => void
}

/** Calls `create` once when every input is ready, or gives the waiting up when one of them will not be. */
export function useWhenReady(when: CreateWhenReady, { inputs, allRead, able, create }: Awaited): void {
  const { waiting, cancel } = when
  const ready = allRead && inputs.every(({ standing }) => standing === "ready")
  const lost = !able || inputs.some((input) => input.standing !== "ready" && !isPending(input))
  useEffect(() => {
    if (!waiting || !(ready || lost)) return
    cancel()
    if (ready && able) create()
  })
}
