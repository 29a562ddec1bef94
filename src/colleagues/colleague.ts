/**
 * A colleague and the desk that it works at.
 *
 * A colleague is one function. It runs in a worker thread, and it runs from its first line each time a person has answered, and after
 * a crash: the service records each call on the desk as a step, and a recorded step is not done again. So a colleague must be
 * deterministic. What it does may depend on the Work, its inputs and the answers, and on nothing else: no clock, no chance, no files.
 */

/** An input of the Work, as it was uploaded. */
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

/** A clarification. Its members are those of Attention in openapi.yaml; the title is the question. */
export type Question = {
  readonly title: string
  readonly what_happened: string
  readonly why_needed: string
  readonly recommended_action: string
  readonly consequences: string
}

/** The three fields that an approval binds. */
export type Letter = {
  readonly destination: string
  readonly subject: string
  readonly body: string
}

/** A request for an approval. Its members are those of Approval in openapi.yaml. */
export type ApprovalRequest = Letter & {
  readonly summary: string
  readonly risk: string
  readonly policy_reason: string
}

export type Decision = { readonly decision: "approve" | "decline"; readonly comment?: string }

/** A result. Delivering a path again makes its next version. */
export type Result = {
  readonly path: string
  readonly media_type: string
  readonly content: string | Uint8Array
}

/** An event that is published again and again. `type` is a single line. */
export type RepeatedEvent = {
  readonly type: string
  /** The event's message is this label and the count. */
  readonly label: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** The desk. Every method but `pause` is a recorded step. */
export type Desk = {
  readonly work: WorkOrder
  /** Publishes one event. `type` is a single line. */
  publish(type: string, payload: Readonly<Record<string, unknown>>): Promise<void>
  /** Opens a clarification and resolves with the answer, exactly as it was sent. */
  ask(question: Question): Promise<string>
  /** Asks for the approval of a letter and resolves with the decision. */
  requestApproval(request: ApprovalRequest): Promise<Decision>
  /**
   * "Sends" a letter: writes it into the outbox folder, once. The Work breaks off unless this very letter (destination, subject and
   * body) was approved in it.
   */
  send(letter: Letter): Promise<void>
  /** Leaves a result: an Artifact that is scanned (listed as `processing`) before it is available. */
  deliver(result: Result): Promise<void>
  /** Waits for `seconds` times the configuration's `pace`. */
  pause(seconds: number): Promise<void>
  /**
   * Publishes an event every `seconds` of real time (`pace` does not change a rate), for as long as the Work goes on. The payload also
   * has `message`, the count under the name of the type, and `published_at`. It is one step however long it runs: only the count is
   * recorded, and after a restart the count goes on.
   */
  every(seconds: number, event: RepeatedEvent): Promise<never>
  /** Ends the Work as `done` with its completion summary. Nothing may follow. */
  finish(completionSummary: string): Promise<void>
}

/** A colleague. `id` is the API's `colleague_id`, and people read `label`. */
export type Colleague = {
  readonly id: string
  readonly label: string
  /**
   * Raised when the steps change. A registry may list earlier versions of a colleague too: Work that began under an earlier version
   * goes on under that version.
   */
  readonly version: number
  run(desk: Desk): Promise<void>
}
