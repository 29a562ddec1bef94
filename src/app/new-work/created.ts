import { boolean, object, string } from "valibot"
import { defineKind, useEntry } from "../client/storage.ts"

/** A Work whose answer arrived when its page was no longer open: said when the person comes back. */
export type Created = { readonly workId: string; readonly title: string; readonly replayed: boolean }

const createdWork = defineKind<readonly [], Created>({
  name: "created-work",
  version: 1,
  schema: object({ workId: string(), title: string(), replayed: boolean() }),
  forgetAfterMs: 30 * 24 * 60 * 60_000,
  maxCharacters: 20_000,
  mayGo: false,
})

/** Notes that a Work was created. */
export function noteCreated(created: Created): void {
  createdWork().write(created)
}

/** The Work that was created while nobody looked, until it is dismissed. */
export function useCreated(): readonly [created: Created | undefined, dismiss: () => void] {
  return [useEntry(createdWork()), dismissCreated]
}

function dismissCreated(): void {
  createdWork().remove()
}
