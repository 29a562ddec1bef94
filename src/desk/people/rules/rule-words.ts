/** Puts into words what keeps a person from approving: to the person, and about the person to an operator. */
import type { MayApprove } from "../../../contract/desk-work.ts"
import { countOf } from "../../../contract/plural.ts"
import { type Access, isAmong, type Member, type Rule } from "../access-file.ts"
import type { Session } from "../people-interface.ts"
import { type Approver, asksForSignIn, type Creation, needsCreator, unmetDemands, type Unmet } from "./rules.ts"

/** The person of a session, as the rules look at them. */
export function approverOf({ person, identity, authenticatedAt }: Session): Approver {
  return { id: person.id, identity, authenticatedAt }
}

/** Whether the rules let a person approve who has the role. The answer asks for a new sign-in only when nothing else is missing. */
export function checkRules(
  rules: readonly Rule[],
  approver: Approver,
  creation: Creation,
  access: Access,
  now: number,
): MayApprove {
  const [first] = unmetDemands(access, rules, approver, creation, now).filter(({ need }) => need !== "role")
  if (first === undefined) {
    const isUnknown = needsCreator(rules) && creation.creators.size === 0
    return { approve: true, creator_unknown: isUnknown, ...(asksForSignIn(rules) && { asks_for_sign_in: true }) }
  }
  const code = first.need === "sign-in" ? "PROXY_SIGN_IN_AGAIN" : "PROXY_RULE"
  return { approve: false, code, detail: formatUnmetForApprover(first, approver, access) }
}

/** Says to the person what keeps them from approving, and whom to ask. */
function formatUnmetForApprover(unmet: Unmet, approver: Approver, access: Access): string {
  const others = formatOthers(unmet, approver, access)
  switch (unmet.need) {
    case "role":
      return `You need the approver role. Ask ${others}.`
    case "approvers":
      return `A rule for ${formatScope(unmet.rule)} lists who may approve, and you aren't on the list. Ask ${others}.`
    case "another person": {
      const why = `A rule for ${formatScope(unmet.rule)} doesn't let people approve Work that they created.`
      return unmet.created === "certainly"
        ? `You created this Work. Ask ${others}. ${why}`
        : `You may have created this Work, because the service's response to your new Work was lost. Send that again, or ask ${others}. ${why}`
    }
    case "sign-in":
      return `A rule for ${formatScope(unmet.rule)} needs a sign-in that is at most ${formatDurationWords(unmet.seconds)} old. Sign in again.`
  }
}

/** Says about the person what would have to change before they may approve. */
export function formatChange(unmet: Unmet, approver: Approver, access: Access): string {
  const others = formatOthers(unmet, approver, access)
  switch (unmet.need) {
    case "role":
      return `the person needs the approver role: ${formatMembers(access.roles.approver)}`
    case "approvers":
      return `the person must be one of ${formatMembers(unmet.rule.approvers ?? [])}`
    case "another person":
      return unmet.created === "certainly"
        ? `another approver must approve, because the person created this Work: ${others}`
        : `another approver must approve, or the person must resend the Work whose answer was lost: ${others}`
    case "sign-in":
      return `the person must sign in again: the sign-in must be at most ${formatDurationWords(unmet.seconds)} old`
  }
}

/** Members as the access file writes them. */
export function formatMembers(members: readonly Member[]): string {
  return members.map(formatMember).join(", ") || "nobody"
}

function formatMember(member: Member): string {
  switch (member.kind) {
    case "anyone":
      return "anyone"
    case "group":
      return `group:${member.name}`
    case "email":
      return `email:${member.address}`
    case "subject":
      return `subject:${member.subject}`
  }
}

function formatScope({ destination, colleague }: Rule): string {
  if (destination === undefined)
    return colleague === undefined ? "every approval" : `approvals that “${colleague}” asks for`
  return colleague === undefined ? `letters to “${destination}”` : `letters of “${colleague}” to “${destination}”`
}

/** A duration of a rule in words: in hours if it is whole hours, else in minutes or seconds. */
export function formatDurationWords(seconds: number): string {
  if (seconds % 3_600 === 0) return countOf(seconds / 3_600, "hour")
  if (seconds % 60 === 0) return countOf(seconds / 60, "minute")
  return countOf(seconds, "second")
}

const alternatives = new Intl.ListFormat("en", { type: "disjunction" })

/** Whom to ask: the groups and addresses of those who may approve, then the contact. */
function formatOthers(unmet: Unmet, { identity }: Approver, { roles, contact }: Access): string {
  const members = (unmet.need === "role" ? undefined : unmet.rule.approvers) ?? roles.approver
  const groups = members.flatMap((member) => (member.kind === "group" ? [member.name] : []))
  const others = members.filter((member) => !isAmong([member], identity))
  const people = others.flatMap((member) => (member.kind === "email" ? [member.address] : []))
  const isInside = groups.some((group) => identity.groups.includes(group))
  const inGroups = groups.length === 0 ? [] : [`somebody ${isInside ? "else in" : "in"} ${alternatives.format(groups)}`]
  const known = [...inGroups, ...people]
  if (known.length === 0) return contact ?? "somebody else who may approve"
  return contact === null ? alternatives.format(known) : `${known.join(", ")}, or ${contact}`
}
