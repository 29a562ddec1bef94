import type { Cell } from "./cell.ts"

/** A table that was read from an input: columns of equal length, and notes on how it was read, as whole sentences. */
export type Table = {
  readonly name: string
  readonly format: string
  readonly rows: number
  readonly columns: readonly TableColumn[]
  readonly notes: readonly string[]
}

export type TableColumn = { readonly name: string; readonly cells: readonly Cell[] }

/** An input that is no table. `reason` is a whole sentence. */
export type Unreadable = { readonly name: string; readonly reason: string }

/** The most columns of a table. Each column costs an event and a line of the report. */
export const MOST_COLUMNS = 1000

/** Thrown for an input that is no table. The message is the reason as a whole sentence. Only `readTable` in read.ts catches it. */
export class NotATable extends Error {}
