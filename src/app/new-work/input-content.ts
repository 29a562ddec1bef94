import { readStored, storedNames, writeStored } from "../client/stored.ts"

const PREFIX = "input-content:"

/** The exact text of the input `id`, as long as the browser keeps it: until its Work is created or it is removed. */
export function readContent(id: string): string | undefined {
  return readStored(PREFIX + id)
}

/** Keeps the exact text of the input `id`, so that it can be sent again after a failure, an expiry or a reload. */
export function keepContent(id: string, content: string): void {
  writeStored(PREFIX + id, content)
}

/** Forgets the text of the input `id`. */
export function forgetContent(id: string): void {
  writeStored(PREFIX + id, undefined)
}

/** Forgets every text that belongs to none of `ids`. */
export function forgetContentsExcept(ids: readonly string[]): void {
  for (const name of storedNames(PREFIX)) if (!ids.includes(name.slice(PREFIX.length))) writeStored(name, undefined)
}
