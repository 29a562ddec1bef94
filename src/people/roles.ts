import type { Role } from "../contract/desk.ts"
import type { OperationId } from "../contract/resources.ts"
import { type Access, type Identity, isAmong } from "./access.ts"

/** What a role adds to the reader's operations. */
const OWN_OPERATIONS: Readonly<Record<Role, readonly OperationId[]>> = {
  reader: [],
  answerer: ["resolveWorkAttention"],
  delegator: ["createInputUpload", "getInputUpload", "retryInputUploadProcessing", "createWork"],
  approver: ["resolveWorkApproval"],
}

/** What every role may do. */
const READERS_OPERATIONS: readonly OperationId[] = [
  "listWork",
  "getWork",
  "streamWorkEvents",
  "listWorkAttention",
  "listWorkApprovals",
  "listWorkArtifacts",
  "downloadWorkArtifact",
]

export const ROLES: readonly Role[] = ["reader", "answerer", "delegator", "approver"]

/** The roles that the access file gives to a person. */
export function rolesOf(access: Access, identity: Identity): readonly Role[] {
  return ROLES.filter((role) => isAmong(access.roles[role], identity))
}

/** What somebody with these roles may do. */
export function operationsOf(roles: readonly Role[]): readonly OperationId[] {
  return roles.length === 0 ? [] : [...READERS_OPERATIONS, ...roles.flatMap((role) => OWN_OPERATIONS[role])]
}

/** The role that somebody needs for an operation. */
export function roleFor(operation: OperationId): Role {
  return ROLES.find((role) => OWN_OPERATIONS[role].includes(operation)) ?? "reader"
}
