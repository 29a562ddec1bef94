import type { Role, SignedIn } from "../../contract/desk-people.ts"
import type { OperationId } from "../../contract/resources.ts"
import { useSession } from "./session.ts"

/** The role of each operation beyond those of a reader: a copy of the table in people/roles.ts, because the app does not import people. */
export const ROLE_OF: Readonly<Partial<Record<OperationId, Role>>> = {
  resolveWorkAttention: "answerer",
  createInputUpload: "delegator",
  getInputUpload: "delegator",
  retryInputUploadProcessing: "delegator",
  createWork: "delegator",
  resolveWorkApproval: "approver",
}

/** Why the person may not use `operation`, and whom to ask, in a sentence or two; undefined where they may. */
export function useMissingRole(operation: OperationId): string | undefined {
  const session = useSession()
  if (session === undefined || session.person.operations.includes(operation)) return undefined
  const role = ROLE_OF[operation] ?? "reader"
  return `You do not have the role ${role}. ${whomToAsk(session)}`
}

/** Whom a person asks for a role, in a sentence. */
export function whomToAsk({ contact }: Pick<SignedIn, "contact">): string {
  return contact === null ? "Ask whoever runs this Workdesk." : `Ask ${contact}.`
}
