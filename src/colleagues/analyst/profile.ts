import type { Choice } from "./answer.ts"
import type { Finding } from "./finding.ts"
import { isSequence } from "./group.ts"
import type { Grouping } from "./group.ts"
import type { Recommendation } from "./recommend.ts"
import type { ColumnProfile } from "./statistics.ts"
import type { Table, Unreadable } from "./table.ts"

/** One input, profiled: what the analyst knows before it asks. */
export type Profile = {
  readonly table: Table
  readonly columns: readonly ColumnProfile[]
  readonly findings: readonly Finding[]
  /** Undefined for a table without rows: there is nothing to prefer. */
  readonly recommendation: Recommendation | undefined
}

/** The same, grouped by what the owner answered. */
export type Grouped = Profile & { readonly choice: Choice | undefined; readonly grouping: Grouping | undefined }

/** Everything that the results are written from. */
export type Results = {
  readonly title: string
  readonly objective: string
  readonly demonstration: boolean
  readonly grouped: readonly Grouped[]
  readonly unreadable: readonly Unreadable[]
  readonly answer: string
}

/** The measure that the groups tell apart best: the one to draw beside their sizes. -1 when there is none. */
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
