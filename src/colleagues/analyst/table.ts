import type { Cell } from "./cell.ts"

/** A table that was read from an input: columns of equal length, and notes on how it was read. */
export type Table = {
  readonly name: string
  readonly format: string
  readonly rows: number
  readonly columns: readonly TableColumn[]
  /** Whole sentences about the file itself: rows set aside, headers renamed, a list found inside an object. */
  readonly notes: readonly string[]
}

export type TableColumn = { readonly name: string; readonly cells: readonly Cell[] }

/** An input that is no table. `reason` is a whole sentence and says what was found. */
export type Unreadable = { readonly name: string; readonly reason: string }

export type Reading =
  | { readonly ok: true; readonly table: Table }
  | { readonly ok: false; readonly unreadable: Unreadable }

/** The most columns. Each column costs an event, a line of the report and a comparison with the other columns. */
export const MOST_COLUMNS = 1000

/** Carries the reason from where it is found to `readTable` in read.ts, which alone catches it. */
export class NotATable extends Error {}
