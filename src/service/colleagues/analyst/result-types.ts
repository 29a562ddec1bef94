/** The data that the analyst's results are written from. */
import type { Choice, Recommendation } from "./column-choice.ts"
import type { Finding } from "./finding.ts"
import type { Grouping } from "./group.ts"
import type { ColumnProfile } from "./column-profile.ts"
import type { Table } from "./table.ts"
import type { Unreadable } from "../wording.ts"

/** The profile of an input, which the analyst makes before it asks. */
export type Profile = {
  readonly table: Table
  readonly columns: readonly ColumnProfile[]
  readonly findings: readonly Finding[]
  /** Undefined for a table without rows. */
  readonly recommendation: Recommendation | undefined
}

/** A profile with its rows grouped by the column that the owner chose. */
export type Grouped = Profile & { readonly choice: Choice | undefined; readonly grouping: Grouping | undefined }

/** The data of the Artifacts, the letters and the summary. */
export type Results = {
  readonly title: string
  readonly objective: string
  readonly demonstration: boolean
  readonly grouped: readonly Grouped[]
  readonly unreadable: readonly Unreadable[]
  readonly answer: string
}
