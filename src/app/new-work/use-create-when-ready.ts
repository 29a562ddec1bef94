import { useEffect } from "react"
import { string } from "valibot"
import { defineKind, useEntry } from "../client/storage.ts"
import { type Input, isPending } from "./use-inputs.ts"

/** The id of the draft that waits: in this tab, not in the browser, so that no two tabs create what was asked for once. */
const waitingDraft = defineKind<readonly [], string>({
  name: "create-when-ready",
  version: 1,
  schema: string(),
  area: "tab",
  forgetAfterMs: 24 * 60 * 60_000,
  maxCharacters: 500,
  mayGo: false,
})

export type CreateWhenReady = {
  readonly waiting: boolean
  readonly wait: () => void
  readonly cancel: () => void
}

/** Whether the draft is to be created as soon as its last scan passes; a reload does not forget it, another input ends it. */
export function useCreateWhenReady(draftId: string): CreateWhenReady {
  const waitingFor = useEntry(waitingDraft())
  return {
    waiting: draftId !== "" && waitingFor === draftId,
    wait: () => void waitingDraft().write(draftId),
    cancel: () => waitingDraft().remove(),
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
