/**
 * What a colleague is to the service, and the desk it works at.
 *
 * A colleague is one function. The runtime runs it once for a Work, and again from its first line after a crash or a
 * restart: every call on the desk is a numbered step, recorded in the transaction of its effect, and a step that is
 * recorded returns its recorded result at once. So between two calls a colleague must be deterministic: what it does may
 * depend on the Work, its inputs and the results of earlier steps, and on nothing else (no clock, no chance, no files).
 */

/** An input of the Work, as it was uploaded. */
export type Input = {
  readonly uploadId: string
  readonly name: string
  readonly mediaType: string
  readonly content: string
}

/** What was delegated; it does not change while the Work is done. */
export type WorkOrder = {
  readonly id: string
  readonly title: string
  readonly objective: string
  readonly inputs: readonly Input[]
}

/** A clarification, in the words of the specification's Attention; the title is the question itself. */
export type Question = {
  readonly title: string
  readonly what_happened: string
  readonly why_needed: string
  readonly recommended_action: string
  readonly consequences: string
}

/** What is put out of the house: the three fields that an approval binds. */
export type Letter = {
  readonly destination: string
  readonly subject: string
  readonly body: string
}

/** An approval as it is asked for, in the words of the specification's Approval. */
export type ApprovalRequest = Letter & {
  readonly summary: string
  readonly risk: string
  readonly policy_reason: string
}

export type Decision = { readonly decision: "approve" | "decline"; readonly comment?: string }

/** A result; delivering a path again makes its next version. */
export type Result = {
  readonly path: string
  readonly media_type: string
  readonly content: string | Uint8Array
}

/** One event of the Work's stream; the type is a single line. */
export type ColleagueEvent = { readonly type: string; readonly payload: Readonly<Record<string, unknown>> }

/**
 * The desk. Every method but `pause` is a recorded step. When the service shuts down or the Work's execution limit is
 * used up, `signal` is aborted and the call in progress rejects; a colleague lets that pass through (no `catch` around it).
 */
export type Desk = {
  readonly work: WorkOrder
  readonly signal: AbortSignal
  /** Publishes one event. */
  publish(type: string, payload: Readonly<Record<string, unknown>>): Promise<void>
  /** Opens a clarification and resolves with the answer, exactly as it was sent. */
  ask(question: Question): Promise<string>
  /** Asks leave for a letter and resolves with the decision. */
  requestApproval(request: ApprovalRequest): Promise<Decision>
  /**
   * "Sends" a letter: writes it into the outbox folder, once whatever happens. Rejects unless this very letter
   * (destination, subject and body) was approved in this Work.
   */
  send(letter: Letter): Promise<void>
  /** Leaves a result: an Artifact that is scanned (listed as `processing`) before it is available. */
  deliver(result: Result): Promise<void>
  /** Waits for `seconds` times the configuration's `pace`; not a step, and left out where a later step is recorded. */
  pause(seconds: number): Promise<void>
  /**
   * Publishes `event(1)`, `event(2)` … one every `seconds` of real time (`pace` does not change a rate), until the signal
   * is aborted. One step however long it runs: only its counter is recorded, so the journal does not grow, and after a
   * restart it goes on with the next count.
   */
  every(seconds: number, event: (count: number) => ColleagueEvent): Promise<never>
  /** Ends the Work as `done` with its completion summary; nothing may follow. */
  finish(completionSummary: string): Promise<void>
}

/** A colleague: `id` is what `colleague_id` says, `label` what people read. */
export type Colleague = {
  readonly id: string
  readonly label: string
  run(desk: Desk): Promise<void>
}
