/** Checks whether the rules of the access file let a person approve, and gives the reason when they do not. No rule restricts `decline`. */
import type { MayApprove } from "../../contract/desk-work.ts"
import { type Access, isAmong, type Member, type Rule } from "../access.ts"
import type { Session } from "../people.ts"
import { destinationForms } from "./destinations.ts"
import { matches } from "./pattern.ts"

/** The approval's members that the patterns of the rules are compared with. */
export type AskedApproval = {
  readonly destination: string
  /** `requested_by_colleague` */
  readonly colleague: string
}

/** An approval with its Work, whose creator `preventSelfApproval` asks for. */
export type ApprovalInQuestion = AskedApproval & { readonly workId: string }

/** What the record says about who created the Work. */
export type Creation = {
  /** The ids of the persons who created the Work through this desk. Empty when the Work was created elsewhere. */
  readonly creators: readonly string[]
  /** Whether the person once sent a createWork whose answer was lost. A Work without a known creator may then be theirs. */
  readonly mayHaveLostCreation: boolean
}

/** The members of a session that the rules look at. */
export type Approver = Pick<Session, "identity" | "authenticatedAt"> & { readonly person: { readonly id: string } }

const rulesOfFile = new WeakMap<Access, WeakMap<AskedApproval, readonly Rule[]>>()

/**
 * The rules that match an approval. All of them must be satisfied. The rules are kept for each approval object in memory: comparing the
 * patterns is most of the cost of a look at ten thousand approvals (`docs/benchmarks.md`, "Notices").
 */
export function rulesFor(access: Access, approval: AskedApproval): readonly Rule[] {
  const ofFile = rulesOfFile.get(access) ?? new WeakMap<AskedApproval, readonly Rule[]>()
  rulesOfFile.set(access, ofFile)
  const rules = ofFile.get(approval) ?? matchingRules(access, approval)
  ofFile.set(approval, rules)
  return rules
}

function matchingRules({ rules }: Access, { destination, colleague }: AskedApproval): readonly Rule[] {
  const forms = destinationForms(destination)
  const isDestination = (pattern: string) => forms === undefined || forms.some((form) => matches(pattern, form))
  return rules.filter(
    (rule) =>
      (rule.destination === undefined || isDestination(rule.destination)) &&
      (rule.colleague === undefined || matches(rule.colleague, colleague)),
  )
}

/** How many persons must approve. Of several rules the highest number counts. */
export function approvalsNeeded(rules: readonly Rule[]): number {
  return Math.max(1, ...rules.map((rule) => rule.approvalsNeeded ?? 1))
}

/** Whether a rule prevents self-approval, so that the rules need a Creation. */
export function needsCreator(rules: readonly Rule[]): boolean {
  return rules.some(({ preventSelfApproval }) => preventSelfApproval === true)
}

/** Whether all rules are satisfied. Asks for a new sign-in only when every other demand is satisfied. `now` is in milliseconds since 1970. */
export function checkRules(
  rules: readonly Rule[],
  session: Approver,
  creation: Creation,
  { roles, contact }: Access,
  now: number,
): MayApprove {
  const sayOthersOf = (rule: Rule) => sayOthers(rule.approvers ?? roles.approver, session, contact)
  const refused = (detail: string): MayApprove => ({ approve: false, code: "PROXY_RULE", detail })
  for (const rule of rules) {
    if (rule.approvers !== undefined && !isAmong(rule.approvers, session.identity)) {
      const scope = sayScope(rule)
      return refused(
        `The rule for ${scope} names who may approve, and you are not among them. Ask ${sayOthersOf(rule)}.`,
      )
    }
  }
  for (const rule of rules.filter(({ preventSelfApproval }) => preventSelfApproval === true)) {
    const why = `A rule for ${sayScope(rule)} keeps people from approving Work that they created.`
    if (creation.creators.includes(session.person.id)) {
      return refused(`You created this Work. Ask ${sayOthersOf(rule)}. ${why}`)
    }
    if (creation.creators.length === 0 && creation.mayHaveLostCreation) {
      return refused(
        `You created Work whose answer was lost, and this may be that Work. Send that Work again, or ask ${sayOthersOf(rule)}. ${why}`,
      )
    }
  }
  for (const rule of rules) {
    const { maxAuthenticationAgeSeconds: longest } = rule
    if (longest === undefined || isRecent(session.authenticatedAt, longest, now)) continue
    const detail = `A rule for ${sayScope(rule)} needs a sign-in that is at most ${sayDuration(longest)} old. Sign in again.`
    return { approve: false, code: "PROXY_SIGN_IN_AGAIN", detail }
  }
  return { approve: true, creator_unknown: needsCreator(rules) && creation.creators.length === 0 }
}

/** Whether the person proved recently who they are. A sign-in without `auth_time` counts as too old. */
function isRecent(authenticatedAt: number | undefined, longestSeconds: number, now: number): boolean {
  return authenticatedAt !== undefined && now - authenticatedAt <= longestSeconds * 1_000
}

function sayScope({ destination, colleague }: Rule): string {
  if (destination === undefined)
    return colleague === undefined ? "every approval" : `approvals that “${colleague}” asks for`
  return colleague === undefined ? `letters to “${destination}”` : `letters of “${colleague}” to “${destination}”`
}

function sayDuration(seconds: number): string {
  if (seconds % 3_600 === 0) return seconds === 3_600 ? "1 hour" : `${seconds / 3_600} hours`
  if (seconds % 60 === 0) return seconds === 60 ? "1 minute" : `${seconds / 60} minutes`
  return seconds === 1 ? "1 second" : `${seconds} seconds`
}

const alternatives = new Intl.ListFormat("en", { type: "disjunction" })

/** Whom to ask: the groups and addresses of the members, then the contact. */
function sayOthers(members: readonly Member[], session: Approver, contact: string | null): string {
  const groups = members.flatMap((member) => (member.kind === "group" ? [member.name] : []))
  const others = members.filter((member) => !isAmong([member], session.identity))
  const people = others.flatMap((member) => (member.kind === "email" ? [member.address] : []))
  const isInside = groups.some((group) => session.identity.groups.includes(group))
  const inGroups = groups.length === 0 ? [] : [`somebody ${isInside ? "else in" : "in"} ${alternatives.format(groups)}`]
  const known = [...inGroups, ...people]
  if (known.length === 0) return contact ?? "somebody else who may approve"
  return contact === null ? alternatives.format(known) : `${known.join(", ")}, or ${contact}`
}
