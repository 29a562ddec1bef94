/** The steps that a colleague can ask its host for, as they pass between threads. */
import type {
  ApprovalRequest,
  Decision,
  Letter,
  Question,
  RepeatedEvent,
  Result,
  WorkOrder,
} from "../colleagues/colleague.ts"

/** A call of a colleague on its host, as a worker thread sends it to the main thread. */
export type Step =
  | { readonly kind: "publish"; readonly type: string; readonly payload: Readonly<Record<string, unknown>> }
  | { readonly kind: "pause"; readonly seconds: number }
  | { readonly kind: "ask"; readonly question: Question }
  | { readonly kind: "requestApproval"; readonly request: ApprovalRequest }
  | { readonly kind: "send"; readonly letter: Letter }
  | { readonly kind: "deliver"; readonly result: Result }
  | { readonly kind: "every"; readonly seconds: number; readonly times: number; readonly event: RepeatedEvent }
  | { readonly kind: "finish"; readonly completionSummary: string }

/** A colleague failed, or took a step that it may not take. */
export class ColleagueFailed extends Error {}

/** A person's answer: a text to a clarification, a decision to an approval request. */
export type Answer = string | Decision

/** The steps of a colleague from its first line until it waits for a person or ends (docs/embedded-service.md, "How a colleague runs"). */
export type Stretch = {
  readonly steps: readonly Step[]
  readonly end: { readonly kind: "waits" | "returned" } | { readonly kind: "failed"; readonly reason: string }
}

/** The task of a worker thread: to run a colleague with the answers that exist so far. */
export type Task = {
  /** The URL of the module that exports `colleagues`. */
  readonly registry: string
  readonly colleagueId: string
  readonly version: number
  readonly order: WorkOrder
  readonly answers: readonly Answer[]
  /** Shared memory. The worker writes its thread's id at the index THREAD, and the number of its steps at the index STEPS. */
  readonly progress: Int32Array
}

export const THREAD = 0
export const STEPS = 1
