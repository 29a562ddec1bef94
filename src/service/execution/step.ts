import type {
  ApprovalRequest,
  Decision,
  Letter,
  Question,
  RepeatedEvent,
  Result,
  WorkOrder,
} from "../../colleagues/colleague.ts"

/** A call on the desk, as it crosses from a worker thread. */
export type Step =
  | { readonly kind: "publish"; readonly type: string; readonly payload: Readonly<Record<string, unknown>> }
  | { readonly kind: "pause"; readonly seconds: number }
  | { readonly kind: "ask"; readonly question: Question }
  | { readonly kind: "requestApproval"; readonly request: ApprovalRequest }
  | { readonly kind: "send"; readonly letter: Letter }
  | { readonly kind: "deliver"; readonly result: Result }
  | { readonly kind: "every"; readonly seconds: number; readonly event: RepeatedEvent }
  | { readonly kind: "finish"; readonly completionSummary: string }

/** What a person has answered: to a clarification a text, to an approval request a decision. */
export type Answer = string | Decision

/** Everything that a colleague does from its first line until it waits for a person, or ends. */
export type Stretch = {
  readonly steps: readonly Step[]
  readonly end: { readonly kind: "waits" | "returned" } | { readonly kind: "failed"; readonly reason: string }
}

/** What a worker thread is asked to do. */
export type Task = {
  /** The address of the module that exports `colleagues`. */
  readonly registry: string
  readonly colleagueId: string
  readonly version: number
  readonly order: WorkOrder
  readonly answers: readonly Answer[]
  /** Shared memory in which the worker says its thread (THREAD) and counts its steps (STEPS). */
  readonly progress: Int32Array
}

export const THREAD = 0
export const STEPS = 1
