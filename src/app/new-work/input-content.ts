import { string } from "valibot"
import { defineKind } from "../client/storage.ts"

const contents = defineKind<readonly [inputId: string], string>({
  name: "input-content",
  version: 1,
  schema: string(),
  forgetAfterMs: 90 * 24 * 60 * 60_000,
  maxCharacters: 1_500_000,
  mayGo: false,
})

/** The exact text of the input `id`, as long as the browser keeps it: until its Work is created or it is removed. */
export function readContent(id: string): string | undefined {
  return contents(id).read()
}

/**
 * Keeps the exact text of the input `id`, so that it can be sent again after a failure, an expiry or a reload. False where the
 * browser could not keep it: then it lasts until a reload.
 */
export function keepContent(id: string, content: string): boolean {
  return contents(id).write(content)
}

/** Forgets the text of the input `id`. */
export function forgetContent(id: string): void {
  contents(id).remove()
}

/** Forgets every text that belongs to none of `ids`. */
export function forgetContentsExcept(ids: readonly string[]): void {
  for (const [id] of contents.ids()) if (!ids.includes(id)) forgetContent(id)
}
