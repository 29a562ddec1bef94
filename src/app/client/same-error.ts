import type { DeskError } from "./desk-error.ts"

/** Whether two errors say the same to a person. An error that two queries have is then shown once. The first load has no such pair. */
export function isSameError(a: DeskError | null | undefined, b: DeskError | null | undefined): boolean {
  return a != null && b != null && a.kind === b.kind && a.status === b.status && a.code === b.code
}
