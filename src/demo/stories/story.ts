import type { CreateWorkRequest } from "../../contract/resources.ts"

/** A story of the demonstration: one Work, and what its owner has done with it so far. */
export type Story = Omit<CreateWorkRequest, "due_at" | "input_upload_ids"> & {
  readonly colleague_id: "analyst" | "editor" | "metronome"
  /** Names of files in `src/demo/inputs`. */
  readonly inputs?: readonly string[]
  /** Hours from now. A negative number is overdue. */
  readonly due?: number
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
  | { readonly decide: "approve" | "decline"; readonly comment?: string; readonly wantsChange?: true }

/** The owner takes the recommendation of the clarification. */
export const ACCEPT: OwnerAction = { answer: "Use the recommendation" }
export const APPROVE: OwnerAction = { decide: "approve" }

/** A day in hours, the unit of `due` and `age`. */
export const DAY = 24
