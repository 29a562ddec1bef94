/** Finds what keeps a person from approving, by the access file. No rule restricts `decline`. `rule-words.ts` puts the answer into words. */
import { type Access, type Identity, isAmong, type Rule } from "../access-file.ts"
import { destinationForms } from "./destinations.ts"
import { matches } from "./pattern.ts"

/** What the patterns of the rules are compared with. */
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
  readonly creators: { readonly size: number; readonly has: (personId: string) => boolean }
  /** Whether the person once sent a createWork whose answer was lost. A Work without a known creator may then be theirs. */
  readonly mayHaveLostCreation: boolean
}

/** Who wants to approve. */
export type Approver = {
  readonly id: string
  readonly identity: Identity
  /** When the person proved who they are, in milliseconds since 1970. Undefined: the provider does not say. */
  readonly authenticatedAt: number | undefined
}

/** What would have to change before a person may approve. */
export type Unmet =
  /** The person needs the role `approver`. */
  | { readonly need: "role" }
  /** The person must be among the `approvers` of the rule. */
  | { readonly need: "approvers"; readonly rule: Rule }
  /** Another person must approve: this one created the Work, or may have created it by a createWork whose answer was lost. */
  | { readonly need: "another person"; readonly rule: Rule; readonly created: "certainly" | "perhaps" }
  /** The person must sign in again: the last sign-in is older than `seconds`. */
  | { readonly need: "sign-in"; readonly rule: Rule; readonly seconds: number }

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
  // A destination that cannot be read matches every pattern.
  const isDestination = (pattern: string) => forms === undefined || forms.some((form) => matches(pattern, form))
  return rules.filter(
    (rule) =>
      (rule.destination === undefined || isDestination(rule.destination)) &&
      (rule.colleague === undefined || matches(rule.colleague, colleague)),
  )
}

/** The patterns of rules, for the record. Several rules with the same patterns count once. */
export function patternsOf(rules: readonly Rule[]): readonly Pick<Rule, "destination" | "colleague">[] {
  const patterns = rules.map(({ destination, colleague }) => ({
    ...(destination !== undefined && { destination }),
    ...(colleague !== undefined && { colleague }),
  }))
  return [...new Map(patterns.map((one) => [JSON.stringify([one.destination, one.colleague]), one])).values()]
}

/** How many persons must approve. Of several rules the highest number counts. */
export function approvalsNeeded(rules: readonly Rule[]): number {
  return Math.max(1, ...rules.map((rule) => rule.approvalsNeeded ?? 1))
}

/** Whether a rule prevents self-approval, so that the rules need a Creation. */
export function needsCreator(rules: readonly Rule[]): boolean {
  return rules.some(({ preventSelfApproval }) => preventSelfApproval === true)
}

/** Whether a rule asks for a recent sign-in, however recent this person's is. */
export function asksForSignIn(rules: readonly Rule[]): boolean {
  return rules.some(({ maxAuthenticationAgeSeconds }) => maxAuthenticationAgeSeconds !== undefined)
}

/** The demands that a person doesn't meet: the role first, then those of the matching rules. Empty: they may approve. `now` is in ms since 1970. */
export function unmetDemands(
  access: Access,
  rules: readonly Rule[],
  approver: Approver,
  creation: Creation,
  now: number,
): readonly Unmet[] {
  const { identity, authenticatedAt } = approver
  const created = createdBy(approver, creation)
  // Loops and one list, because a look at ten thousand approvals asks this for each kind of people (`docs/benchmarks.md`, "Notices").
  const unmet: Unmet[] = []
  if (!isAmong(access.roles.approver, identity)) unmet.push({ need: "role" })
  for (const rule of rules) if (isExcluded(rule, identity)) unmet.push({ need: "approvers", rule })
  for (const rule of rules) {
    if (created !== undefined && rule.preventSelfApproval === true)
      unmet.push({ need: "another person", rule, created })
  }
  for (const rule of rules) {
    const { maxAuthenticationAgeSeconds: seconds } = rule
    if (seconds !== undefined && !isRecent(authenticatedAt, seconds, now))
      unmet.push({ need: "sign-in", rule, seconds })
  }
  return unmet
}

/** Whether a person may approve, apart from the age of the sign-in: a person can sign in again, so the age counts only at the approve itself. */
export function mayApproveBy(
  access: Access,
  rules: readonly Rule[],
  person: Pick<Approver, "id" | "identity">,
  creation: Creation,
): boolean {
  const unmet = unmetDemands(access, rules, { ...person, authenticatedAt: undefined }, creation, 0)
  return unmet.every(({ need }) => need === "sign-in")
}

/** Whether a rule names approvers, and the person is not among them. */
export function isExcluded({ approvers }: Rule, identity: Identity): boolean {
  return approvers !== undefined && !isAmong(approvers, identity)
}

function createdBy({ id }: Approver, { creators, mayHaveLostCreation }: Creation): "certainly" | "perhaps" | undefined {
  if (creators.has(id)) return "certainly"
  return creators.size === 0 && mayHaveLostCreation ? "perhaps" : undefined
}

/** Whether the person proved recently who they are. A sign-in without `auth_time` counts as too old. */
function isRecent(authenticatedAt: number | undefined, longestSeconds: number, now: number): boolean {
  return authenticatedAt !== undefined && now - authenticatedAt <= longestSeconds * 1_000
}
