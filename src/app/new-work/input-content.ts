import { string } from "valibot"
import { useKept } from "../client/draft.ts"
import { defineKind } from "../client/storage.ts"

const contents = defineKind<readonly [inputId: string], string>({
  name: "input-content",
  version: 1,
  schema: string(),
  forgetAfterMs: 90 * 24 * 60 * 60_000,
  maxCharacters: 1_500_000,
  mayGo: false,
})

/** The exact text of the input `id`. The browser keeps it until the Work is created or the input is removed. */
export function readContent(id: string): string | undefined {
  return contents(id).read()
}

/** Keeps the exact text of the input `id`, so that it can be sent again after a failure, an expiry or a reload. */
export function keepContent(id: string, content: string): void {
  contents(id).write(content)
}

/** Whether the text of the input `id` is lost with a reload, because the browser could not store it. */
export function useIsContentAtRisk(id: string): boolean {
  return useKept(contents(id)) !== "stored"
}

/** Forgets the text of the input `id`. */
export function forgetContent(id: string): void {
  contents(id).remove()
}

/** Forgets the text of every input that is not one of `ids`. */
export function forgetContentsExcept(ids: readonly string[]): void {
  for (const [id] of contents.ids()) if (!ids.includes(id)) forgetContent(id)
}
