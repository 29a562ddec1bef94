/** Names for the generated types of the API. */
import type { components, operations } from "./schema.d.ts"

// The schemas of openapi.yaml by their names. The shapes are generated.
type Schemas = components["schemas"]

export type Work = Schemas["Work"]
export type WorkList = Schemas["WorkList"]
export type WorkStatus = Schemas["WorkStatus"]
export type WorkPriority = Schemas["WorkPriority"]
export type VisibilityScope = Schemas["VisibilityScope"]

export type Attention = Schemas["Attention"]
export type AttentionList = Schemas["AttentionList"]

export type Approval = Schemas["Approval"]
export type ApprovalList = Schemas["ApprovalList"]
export type ApprovalStatus = Schemas["ApprovalStatus"]

export type Artifact = Schemas["Artifact"]
export type ArtifactList = Schemas["ArtifactList"]

export type InputUpload = Schemas["InputUpload"]
export type ProcessingState = Schemas["ProcessingState"]

export type Problem = Schemas["Problem"]

export type CreateWorkRequest = Schemas["CreateWorkRequest"]
export type CreateInputUploadRequest = Schemas["CreateInputUploadRequest"]
export type ResolveAttentionRequest = Schemas["ResolveAttentionRequest"]
export type ResolveApprovalRequest = Schemas["ResolveApprovalRequest"]

/** The names of the 13 operations. `Record<OperationId, …>` does not compile when one is missing. */
export type OperationId = keyof operations
