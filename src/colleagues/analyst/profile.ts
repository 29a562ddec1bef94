import type { Choice } from "./answer.ts"
import type { Finding } from "./finding.ts"
import { isSequence } from "./group.ts"
import type { Grouping } from "./group.ts"
import type { Recommendation } from "./recommend.ts"
import type { ColumnProfile } from "./statistics.ts"
import type { Table, Unreadable } from "./table.ts"

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

/** The index of the measure whose means differ most between the groups. The chart draws it. -1 when no means differ. */
export function tellingMeasure({ groups, measures }: Grouping): number {
  const spreads = measures.map((measure, index) => {
    const means = groups
      .filter(({ kind }) => kind === "value" || kind === "range")
      .flatMap(({ means }) => means[index] ?? [])
    const deviation = measure.numbers?.standardDeviation ?? 0
    return means.length < 2 || deviation === 0 || isSequence(measure)
      ? 0
      : (Math.max(...means) - Math.min(...means)) / deviation
  })
  const best = Math.max(...spreads, 0)
  return best > 0 ? spreads.indexOf(best) : -1
}
