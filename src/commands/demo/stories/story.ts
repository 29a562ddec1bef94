/** A story of the demonstration: one Work, and what its owner has done with it so far. */
export type Story = {
  readonly colleague: "analyst" | "editor" | "metronome"
  readonly title?: string
  readonly objective: string
  /** Names of files in `src/commands/demo/inputs`. */
  readonly inputs?: readonly string[]
  readonly priority?: "low" | "high" | "urgent"
  readonly visibility?: "private" | "team" | "organization"
  /** Hours from now. A negative number is overdue. */
  readonly due?: number
  /** The execution limit in seconds. */
  readonly limit?: number
  /** Hours since the Work was delegated. */
  readonly age: number
  /** What the owner has done so far, in order. */
  readonly actions?: readonly OwnerAction[]
  /**
   * Where the Work stops before its colleague asks the owner or finishes. `at work`: in the middle of a step, which goes on when the desk
   * opens. `out of time`: its execution limit is used up.
   */
  readonly stopped?: "at work" | "out of time"
}

/** An answer to the open clarification, or a decision about the pending approval. */
export type OwnerAction =
  | { readonly answer: string }
  | { readonly decide: "approve" | "decline"; readonly comment?: string }

/** The owner takes the recommendation of the clarification. */
export const ACCEPT: OwnerAction = { answer: "Use the recommendation" }
export const APPROVE: OwnerAction = { decide: "approve" }

/** A day in hours, the unit of `due` and `age`. */
export const DAY = 24
