import { boolean, object, string } from "valibot"
import { defineKind, useEntry } from "../client/storage.ts"

/** A Work that was created, for a notice on the form. */
export type Created = {
  readonly workId: string
  readonly title: string
  readonly replayed: boolean
  /** Whether the form holds what the person changed after sending: it is not part of the Work. */
  readonly draftStays: boolean
}

const createdWork = defineKind<readonly [], Created>({
  name: "created-work",
  version: 2,
  schema: object({ workId: string(), title: string(), replayed: boolean(), draftStays: boolean() }),
  forgetAfterMs: 30 * 24 * 60 * 60_000,
})

/** Keeps a created Work until the person dismisses the notice. */
export function keepCreated(created: Created): void {
  createdWork().write(created)
}

/** The created Work of the notice, and how to dismiss the notice. */
export function useCreated(): readonly [created: Created | undefined, dismiss: () => void] {
  return [useEntry(createdWork()), dismissCreated]
}

function dismissCreated(): void {
  createdWork().remove()
}
