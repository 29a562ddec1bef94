/**
 * A colleague is one function that runs in a worker thread. It runs from its first line each time a person has answered, and after a crash.
 * The service records each call on the host as a step, and does not perform a recorded step again. So a colleague must be deterministic: it
 * may depend on the Work, the inputs and the answers, but not on the time, on random numbers or on files.
 */

/** An uploaded input of the Work. `content` is its text. */
export type Input = {
  readonly uploadId: string
  readonly name: string
  readonly mediaType: string
  readonly content: string
}

/** The Work as it was delegated. */
export type WorkOrder = {
  readonly id: string
  readonly title: string
  readonly objective: string
  readonly inputs: readonly Input[]
  /** Whether the values for demonstrations count (docs/embedded-service.md). */
  readonly demonstration: boolean
}

/** A clarification. Its members are those of Attention in openapi.yaml. The title is the question. */
export type Question = {
  readonly title: string
  readonly what_happened: string
  readonly why_needed: string
  readonly recommended_action: string
  readonly consequences: string
}

/** A letter. An approval is bound to these three fields. */
export type Letter = { readonly destination: string; readonly subject: string; readonly body: string }

/** A request for an approval. Its members are those of Approval in openapi.yaml. */
export type ApprovalRequest = Letter & {
  readonly summary: string
  readonly risk: string
  readonly policy_reason: string
}

export type Decision = { readonly decision: "approve" | "decline"; readonly comment?: string }

/** A result. A second result with the same path is the next version of the first. */
export type Result = { readonly path: string; readonly media_type: string; readonly content: string | Uint8Array }

/** An event that is published again and again. `type` is a single line. */
export type RepeatedEvent = {
  readonly type: string
  /** The event's message is this label and the count. */
  readonly label: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** What the service does for a colleague. The service records every call but `pause` as a step. */
export type Host = {
  readonly work: WorkOrder
  /** Publishes one event. `type` is a single line. */
  publish(type: string, payload: Readonly<Record<string, unknown>>): Promise<void>
  /** Opens a clarification and resolves with the answer, exactly as it was sent. */
  ask(question: Question): Promise<string>
  /** Asks for the approval of a letter and resolves with the decision. */
  requestApproval(request: ApprovalRequest): Promise<Decision>
  /** Writes a letter into the outbox folder, once. The Work fails unless exactly this letter was approved in it. */
  send(letter: Letter): Promise<void>
  /** Makes an Artifact. It is listed as `processing` until its scan ends. */
  deliver(result: Result): Promise<void>
  /** Waits for `seconds` times the configuration's `pace`. */
  pause(seconds: number): Promise<void>
  /**
   * Publishes an event every `seconds`, `times` times, at any `pace`. The payload also has `message`, `published_at`, and the count as the member
   * with the name of the type. All events are one step, which records the count, so the count goes on after a restart.
   */
  every(seconds: number, times: number, event: RepeatedEvent): Promise<void>
  /** Makes the Work `done` with a completion summary. It must be the last call. */
  finish(completionSummary: string): Promise<void>
}

/** A colleague. `id` is the API's `colleague_id`, and people read `label` and, in a few words, what the colleague `does`. */
export type Colleague = {
  readonly id: string
  readonly label: string
  readonly does?: string
  /** Raise the version when the steps change. Work continues with the version that it began with, if the registry still lists that version. */
  readonly version: number
  run(host: Host): Promise<void>
}
