/** The parts of a report, which each format writes in its own way. */
import type { Verification } from "../hash-chain.ts"
import type { ReportLine, Section } from "./report-lines.ts"
import type { Total } from "./report-totals.ts"

export type TotalsBy = "person" | "colleague"

/** The state of the chain, as the report verified it. */
export type ChainState = Verification & {
  /** When the verification had ended, as `formatTime` writes it. */
  readonly at: string
}

/** Writes the parts of a report as text, in the order of its methods. */
export type ReportWriter = {
  readonly begin: (title: string) => string
  readonly beginSection: (section: Section) => string
  readonly lines: (section: Section, lines: readonly ReportLine[]) => string
  /** `count`: how many lines the section has. */
  readonly endSection: (count: number) => string
  readonly totals: (by: TotalsBy, totals: readonly Total[]) => string
  readonly note: (text: string) => string
  readonly chain: (state: ChainState) => string
  readonly end: () => string
}
