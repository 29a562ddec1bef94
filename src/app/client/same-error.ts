import type { DeskError } from "./desk-error.ts"

/** Whether two errors say the same to a person. A page then shows an error of two queries once. */
export function isSameError(a: DeskError | null | undefined, b: DeskError | null | undefined): boolean {
  return a != null && b != null && a.kind === b.kind && a.status === b.status && a.code === b.code
}
