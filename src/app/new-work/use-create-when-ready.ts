import { useEffect } from "react"
import { string } from "valibot"
import { defineKind, useEntry } from "../client/storage.ts"
import { type Input, isPending } from "./use-inputs.ts"

/** The id of the draft that waits for its scans. It belongs to the tab, so that two tabs do not both create the Work. */
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

/** Whether the Work is created as soon as the last scan passes. A reload of the tab keeps this. */
export function useCreateWhenReady(draftId: string): CreateWhenReady {
  const waitingFor = useEntry(waitingDraft())
  return {
    waiting: draftId !== "" && waitingFor === draftId,
    wait: () => void waitingDraft().write(draftId),
    cancel: () => waitingDraft().remove(),
  }
}

type WhatToCreate = {
  readonly inputs: readonly Input[]
  /** False while a chosen file is still being read. */
  readonly allRead: boolean
  /** Whether everything else of the draft can be sent. */
  readonly canCreate: boolean
  readonly create: () => void
}

/** Calls `create` once when every input is ready, or ends the waiting when an input has failed. */
export function useWhenReady(when: CreateWhenReady, { inputs, allRead, canCreate, create }: WhatToCreate): void {
  const { waiting, cancel } = when
  const ready = allRead && inputs.every(({ state }) => state === "ready")
  const failed = !canCreate || inputs.some((input) => input.state !== "ready" && !isPending(input))
  useEffect(() => {
    if (!waiting || !(ready || failed)) return
    cancel()
    if (ready && canCreate) create()
  })
}
