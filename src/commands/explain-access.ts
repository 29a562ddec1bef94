/** What `npm run access -- explain` says. It asks the functions by which the desk decides. */
import type { Role } from "../contract/desk-people.ts"
import { type Access, isAmong, type Member, type Rule } from "../people/access.ts"
import { findPerson, listSessions } from "../people/administration.ts"
import { ROLES } from "../people/roles.ts"
import { approvalsNeeded, checkRules, rulesFor, type Approver } from "../people/rules/rules.ts"
import type { SessionLimits } from "../people/session-store.ts"
import { viewerOf, whySees, type Viewer, type WorkFacts } from "../people/visibility.ts"
import { findApproval } from "../record/content.ts"
import { creationOf } from "../record/look-up.ts"
import { peopleOfWork } from "../record/work-people.ts"
import type { Reader } from "../store/database.ts"
import { readPendingInSight, readWorkInSight } from "../waiting/resources.ts"
import { CommandError, printable } from "./command.ts"
import type { ServiceReader } from "./service-reader.ts"
import { noRole, roleMissing } from "../contract/refusals.ts"

export type Asked = {
  readonly personId: string
  readonly workId: string | undefined
  readonly approvalId: string | undefined
}

export type Sources = {
  readonly access: Access
  readonly database: Reader
  readonly limits: SessionLimits
  readonly service: ServiceReader
}

const REASONS = {
  creator: "the person created this Work at this desk",
  team: "the Work belongs to a team of the person",
  organization: "the Work is for everybody with a role",
  approver: "the person may decide an approval that waits, or decided one",
  overseer: "the person is an overseer",
} as const

/**
 * Explains in lines what a person may see and approve.
 * @throws CommandError when there is no such person, Work or approval, or the service does not answer
 */
export async function explain({ personId, workId, approvalId }: Asked, sources: Sources): Promise<readonly string[]> {
  const { access, database, limits, service } = sources
  const person = await findPerson(database, personId)
  if (person === undefined) throw new CommandError("There is no such person: npm run people -- list prints the ids")
  const { identity, name } = person
  const viewer = viewerOf({ id: personId, identity }, access)
  const lines = [
    `person: ${printable(name)}, ${printable(identity.email ?? "no verified address")}`,
    `groups: ${identity.groups.map(printable).join(", ") || "none"}`,
    ...ROLES.map((role) => sayRole(role, viewer)),
  ]
  if (workId === undefined) return lines
  const work = await service.readWork(workId)
  const found = work === undefined ? undefined : readWorkInSight(work, workId)
  if (found === undefined) throw new CommandError("There is no such Work")
  const approvals = await service.readApprovals(workId)
  const { creators, deciders } = await peopleOfWork(database, workId)
  const pending = readPendingInSight(approvals) ?? []
  const facts: WorkFacts = { ...found, creators, deciders, pending, isUnsettled: false }
  const reason = whySees(viewer, facts)
  lines.push(
    reason === undefined ? `sees: no, ${sayConcealed(viewer, facts)}` : `sees: yes, ${reason}: ${REASONS[reason]}`,
  )
  if (approvalId === undefined) return lines
  const approval = findApproval(Buffer.from(approvals), workId, approvalId)
  if (approval === undefined || approval === "invalid") throw new CommandError("There is no such approval of this Work")
  const rules = rulesFor(access, approval)
  const creation = await creationOf(database, workId, personId)
  // The newest open session counts. Without one every sign-in is too old.
  const session = (await listSessions(database, limits)).find((open) => open.personId === personId)
  const approver: Approver = { person: { id: personId }, identity, authenticatedAt: session?.authenticatedAt }
  const check = (some: readonly Rule[]) => {
    const may = checkRules(some, approver, creation, access, Date.now())
    return may.approve ? undefined : may.detail
  }
  const refusal = noApproval(viewer, reason !== undefined, approval.isPending) ?? check(rules)
  lines.push(
    refusal === undefined
      ? "may approve: yes, the role and every rule that matches allow it"
      : `may approve: no, ${printable(refusal)}`,
  )
  if (approvalsNeeded(rules) > 1) lines.push(`approvals needed: ${approvalsNeeded(rules)}, from different persons`)
  for (const rule of rules)
    lines.push(`rule ${access.rules.indexOf(rule) + 1}: ${sayRule(rule)}: ${printable(check([rule]) ?? "satisfied")}`)
  if (rules.length === 0) lines.push("rules: none matches")
  return lines
}

function sayRole(role: Role, { access, identity }: Viewer): string {
  const found = access.roles[role].filter((member) => isAmong([member], identity))
  const members = (list: readonly Member[]) => list.map(sayMember).join(", ")
  if (found.length > 0) return `role ${role}: yes, as ${members(found)}`
  return `role ${role}: no, ${access.roles[role].length === 0 ? "nobody has it" : `it needs ${members(access.roles[role])}`}`
}

function sayMember(member: Member): string {
  switch (member.kind) {
    case "anyone":
      return "anyone"
    case "group":
      return `group:${printable(member.name)}`
    case "email":
      return `email:${printable(member.address)}`
    case "subject":
      return `subject:${printable(member.subject)}`
  }
}

function sayConcealed(viewer: Viewer, { scope, creators }: WorkFacts): string {
  if (!viewer.hasRole)
    return noRole(viewer.access.contact)
      .detail.replace(/^You are/, "the person is")
      .replace("you have", "they have")
  const creator = creators.size === 0 ? "nobody at this desk created it" : "somebody else created it"
  return `the Work is ${printable(scope)}, ${creator}, and the person is in no team of it, may decide nothing in it, and is no overseer`
}

/** Why the person may not approve, whatever the rules say. */
function noApproval(viewer: Viewer, sees: boolean, isPending: boolean): string | undefined {
  if (!viewer.isApprover) return roleMissing("approver", viewer.access.contact).detail
  if (!sees) return "the person does not see the Work"
  return isPending ? undefined : "the approval is not pending any more"
}

function sayRule({ destination, colleague, approvers, preventSelfApproval, ...rule }: Rule): string {
  const parts = [
    destination !== undefined && `destination ${destination}`,
    colleague !== undefined && `colleague ${colleague}`,
    approvers !== undefined && `approvers ${approvers.map(sayMember).join(", ")}`,
    preventSelfApproval === true && "preventSelfApproval",
    rule.maxAuthenticationAgeSeconds !== undefined && `maxAuthenticationAgeSeconds ${rule.maxAuthenticationAgeSeconds}`,
    rule.approvalsNeeded !== undefined && `approvalsNeeded ${rule.approvalsNeeded}`,
  ]
  return printable(parts.filter((part) => part !== false).join("; "))
}
