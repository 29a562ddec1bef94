/**
 * Says whether a person sees a Work, and why (`docs/operating.md`, "Who sees what"), and whether the person may decide an item of it. Every
 * answer of the desk about a Work asks `whySees`. What this file does not allow is concealed.
 */
import type { VisibilityReason } from "../../contract/desk-work.ts"
import type { People, Session } from "./people-interface.ts"
import { type Access, type Identity, isAmong, type Member, rolesOf, type Team } from "./access-file.ts"
import { type AskedApproval, type Creation, isExcluded, mayApproveBy, rulesFor } from "./rules/rules.ts"
import { matches } from "./rules/pattern.ts"

/** A person as visibility and rules look at them: by the access file of now, and the groups of the person's last sign-in. */
export type Viewer = {
  readonly id: string
  readonly identity: Identity
  readonly access: Access
  readonly hasRole: boolean
  readonly isAnswerer: boolean
  readonly isApprover: boolean
  readonly isOverseer: boolean
  /** The names of the person's teams. */
  readonly teams: readonly string[]
  /** People with the same kind see the same Works under one access file, apart from what each of them created or decided. */
  readonly kind: string
}

/** What the desk knows about a Work when it decides who sees the Work. */
export type WorkFacts = {
  /** `visibility_scope`, as the upstream sent it. */
  readonly scope: string
  /** `colleague_id` */
  readonly colleague: string
  /** The creators at this desk, by person id, with their teams then. Undefined teams: an older desk stored the creation, or the file had no teams. */
  readonly creators: ReadonlyMap<string, readonly string[] | undefined>
  /** The ids of the persons who decided an approval of the Work at this desk. */
  readonly deciders: ReadonlySet<string>
  readonly pending: readonly AskedApproval[]
  /** Whether somebody at this desk may have created the Work although `creators` is empty (`WorkPeople.isUnsettled`). */
  readonly isUnsettled: boolean
}

export function viewerOf({ id, identity }: Pick<Viewer, "id" | "identity">, access: Access): Viewer {
  const roles = rolesOf(access, identity)
  const isApprover = roles.includes("approver")
  const isOverseer = isAmong(access.visibility?.overseers ?? [], identity)
  const teams = teamsOf(identity, access)
  const excluded = isApprover ? access.rules.map((rule) => isExcluded(rule, identity)) : []
  return {
    id,
    identity,
    access,
    hasRole: roles.length > 0,
    isAnswerer: roles.includes("answerer"),
    isApprover,
    isOverseer,
    teams,
    kind: JSON.stringify([roles.length > 0, isOverseer, isApprover, teams, excluded]),
  }
}

const viewers = new WeakMap<Session, Viewer>()

/** The viewer of a session, the same one until the access file changes. */
export function viewerOfSession(session: Session, access: Access): Viewer {
  const before = viewers.get(session)
  if (before?.access === access) return before
  const viewer = viewerOf({ id: session.person.id, identity: session.identity }, access)
  viewers.set(session, viewer)
  return viewer
}

/** Whether a person may do at the desk what is for overseers alone. In local mode the one person may. */
export function isOverseer(session: Session, people: Pick<People, "mode" | "access">): boolean {
  return people.mode === "local" || viewerOfSession(session, people.access()).isOverseer
}

/** The names of the teams that a person is in. */
export function teamsOf(identity: Identity, { visibility }: Access): readonly string[] {
  return (visibility?.teams ?? []).filter(({ members }) => isAmong(members, identity)).map(({ name }) => name)
}

/** The first reason that holds, in the order of `VisibilityReason`. Undefined: the Work is concealed from the person. */
export function whySees(viewer: Viewer, facts: WorkFacts): VisibilityReason | undefined {
  if (!viewer.hasRole) return undefined
  if (facts.creators.has(viewer.id)) return "creator"
  if (facts.scope === "team" && isInTeamOf(viewer, facts)) return "team"
  if (facts.scope === "organization" || isForEverybody(viewer.access, facts)) return "organization"
  if (facts.deciders.has(viewer.id) || maySomeApproval(viewer, facts.pending)) return "approver"
  return viewer.isOverseer ? "overseer" : undefined
}

/** What would show a Work to a person who does not see it. */
export type WayToSee =
  | { readonly way: "role" }
  | { readonly way: "team"; readonly team: Team }
  | { readonly way: "overseer"; readonly members: readonly Member[] }
  /** To be among the approvers of an approval that is pending. */
  | { readonly way: "approver" }

/** Each change that would show a concealed Work to a person, apart from a change of the Work's scope. */
export function waysToSee(viewer: Viewer, facts: WorkFacts): readonly WayToSee[] {
  if (!viewer.hasRole) return [{ way: "role" }]
  const { teams = [], overseers = [] } = viewer.access.visibility ?? {}
  const showing = teams.filter(({ name }) => whySees({ ...viewer, teams: [name] }, facts) === "team")
  return [
    ...showing.map((team): WayToSee => ({ way: "team", team })),
    ...(facts.pending.length > 0 ? [{ way: "approver" } as const] : []),
    ...(overseers.length > 0 ? [{ way: "overseer", members: overseers } as const] : []),
  ]
}

/** Whether the person has the role, and is among the `approvers` of every rule that matches the approval. */
function isApproverOf({ isApprover, access, identity }: Viewer, approval: AskedApproval): boolean {
  return isApprover && !rulesFor(access, approval).some((rule) => isExcluded(rule, identity))
}

/** A clarification, or an approval as its rules look at it. */
export type ItemInQuestion = { readonly kind: "clarification" } | ({ readonly kind: "approval" } & AskedApproval)

/** Whether a person sees the Work, has the role, and satisfies every matching rule's `approvers` and `preventSelfApproval` (`docs/operating.md`). */
export function mayDecide(viewer: Viewer, facts: WorkFacts, item: ItemInQuestion): boolean {
  return whySees(viewer, facts) !== undefined && mayDecideSeen(viewer, facts, item)
}

/** The same as `mayDecide` for a person who sees the Work. */
export function mayDecideSeen(
  viewer: Viewer,
  { creators }: Pick<WorkFacts, "creators">,
  item: ItemInQuestion,
): boolean {
  if (item.kind === "clarification") return viewer.isAnswerer
  const { id, identity, access } = viewer
  const creation: Creation = { creators, mayHaveLostCreation: false }
  return mayApproveBy(access, rulesFor(access, item), { id, identity }, creation)
}

const maySomeApproval = (viewer: Viewer, pending: readonly AskedApproval[]) =>
  viewer.isApprover && pending.some((approval) => isApproverOf(viewer, approval))

/** Whether a person is in a team that the Work belongs to. Without teams in the file, everybody is in one team that has all Work. */
function isInTeamOf({ access: { visibility }, teams }: Viewer, facts: WorkFacts): boolean {
  const { creators, colleague, isUnsettled } = facts
  // The outcome of a createWork may soon name a creator of another team.
  if (creators.size === 0 && isUnsettled) return false
  if (visibility?.teams === undefined) return true
  const creatorTeams = [...creators.values()]
  if (creatorTeams.some((names) => names?.some((name) => teams.includes(name)))) return true
  // Without a known creator, or the teams of one, the Work belongs to each team that lists its colleague.
  const isOfItsColleague = creators.size === 0 || creatorTeams.includes(undefined)
  return isOfItsColleague && visibility.teams.some((team) => teams.includes(team.name) && hasColleague(team, colleague))
}

const hasColleague = ({ colleagues = [] }: Team, colleague: string) =>
  colleagues.some((pattern) => matches(pattern, colleague))

/** Without the key `visibility`, Work without a known creator is for everybody with a role, whatever its scope. */
function isForEverybody({ visibility }: Access, { creators, isUnsettled }: WorkFacts): boolean {
  return visibility === undefined && creators.size === 0 && !isUnsettled
}

/** Whether only overseers see the Work, approvals and decisions aside. `docs/operating.md` says how to read the line that counts such Work. */
export function isForOverseersOnly(access: Access, facts: WorkFacts): boolean {
  const { visibility } = access
  if (facts.creators.size > 0 || facts.scope === "organization" || visibility === undefined) return false
  if (facts.scope !== "team") return true
  return visibility.teams !== undefined && !visibility.teams.some((team) => hasColleague(team, facts.colleague))
}
