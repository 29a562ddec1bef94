/** The cost classes of requests. Each row of the tables of routes names its class, and the router charges it (`request-limits.ts`). */
import type { OperationId } from "../../contract/resources.ts"

/** A request that is charged to nobody, with the reason. */
export type FreeCost = { readonly free: string }

export const isFree = (cost: PersonCost | ClientCost): cost is FreeCost => typeof cost === "object"

/** What a request of a person is charged to. Without sign-in nobody is charged. */
export type PersonCost =
  /** One of the person's reads. The desk answers from its store or its memory. */
  | "read"
  /** One of the person's reads for each read of the upstream that the request begins, and at least one. */
  | "upstream reads"
  /** One of the person's mutations, whatever the desk reads for it. */
  | "write"
  /** A decline is free. Any other decision is one of the person's mutations, as soon as the body is read. */
  | "decision"
  | "desk write"
  | "presence"
  /** One of the person's reports, and one of their reads for each read of the upstream. */
  | "report"
  | "seen"
  /** As `upstream reads`, and one of the person's open streams. */
  | "stream"
  | FreeCost

/** What a request is charged to where the desk looks for no session. */
export type ClientCost = "provider" | FreeCost

/** The cost classes of the API's operations. */
export const operationCosts: Readonly<Record<OperationId, PersonCost>> = {
  listWork: "upstream reads",
  getWork: "upstream reads",
  listWorkAttention: "upstream reads",
  listWorkApprovals: "upstream reads",
  listWorkArtifacts: "upstream reads",
  downloadWorkArtifact: "upstream reads",
  getInputUpload: "upstream reads",
  streamWorkEvents: "stream",
  createInputUpload: "write",
  retryInputUploadProcessing: "write",
  createWork: "write",
  resolveWorkAttention: "write",
  resolveWorkApproval: "decision",
}
