/** The roles of people, and the operations that each role allows. */
import type { Role } from "./desk-people.ts"
import type { OperationId } from "./resources.ts"

/** The operations of each role (`docs/operating.md`, "Roles and rules"). Every role has those of a reader, too. */
const OPERATIONS: Readonly<Record<Role, readonly OperationId[]>> = {
  reader: [
    "listWork",
    "getWork",
    "streamWorkEvents",
    "listWorkAttention",
    "listWorkApprovals",
    "listWorkArtifacts",
    "downloadWorkArtifact",
  ],
  answerer: ["resolveWorkAttention"],
  delegator: ["createInputUpload", "getInputUpload", "retryInputUploadProcessing", "createWork"],
  approver: ["resolveWorkApproval"],
}

export const ROLES: readonly Role[] = ["reader", "answerer", "delegator", "approver"]

/** The operations of a person with these roles; none without a role. */
export function operationsOf(roles: readonly Role[]): readonly OperationId[] {
  return roles.length === 0 ? [] : [...new Set<Role>(["reader", ...roles])].flatMap((role) => OPERATIONS[role])
}

/** The role that a person needs for an operation. */
export function roleFor(operation: OperationId): Role {
  return ROLES.find((role) => OPERATIONS[role].includes(operation)) ?? "reader"
}
