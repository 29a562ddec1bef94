/** `npm run access` checks an access file, and explains what a person may see and approve. It reads the desk's environment and changes nothing. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Role } from "../contract/desk-people.ts"
import type { Freeze } from "../contract/desk-work.ts"
import { parseObject } from "../platform/http/json-object.ts"
import { addressOfWork } from "../platform/http/path-match.ts"
import { type Access, emptyRules, isAmong, type Rule } from "../desk/people/access-file.ts"
import { findPerson, listSessions } from "../desk/people/administration.ts"
import { ROLES } from "../contract/roles.ts"
import { OPERATOR } from "../desk/people/directory.ts"
import { formatGroups } from "../desk/people/role-request.ts"
import { destinationForms } from "../desk/people/rules/destinations.ts"
import { formatChange, formatMembers } from "../desk/people/rules/rule-words.ts"
import {
  approvalsNeeded,
  type Approver,
  type Creation,
  rulesFor,
  type Unmet,
  unmetDemands,
} from "../desk/people/rules/rules.ts"
import { type Viewer, viewerOf, waysToSee, type WayToSee, whySees, type WorkFacts } from "../desk/people/visibility.ts"
import {
  type DeskConfiguration,
  readConfiguration,
  type UpstreamConfiguration,
} from "../desk/http/desk-configuration.ts"
import { type ApprovalRead, findApproval } from "../desk/record/gate/recorded-content.ts"
import { creationOf } from "../desk/record/creations.ts"
import { readFreezes } from "../desk/record/freezes.ts"
import { isFrozenBy } from "../desk/record/gate/freeze-check.ts"
import { NOBODY, peopleOf } from "../desk/record/creators-and-deciders.ts"
import { readPendingForVisibility, readWorkForVisibility } from "../desk/watcher/visibility-members.ts"
import { CommandError, openStoreForReading, printable, readAccess, runAsCommand } from "./command.ts"

const USAGE = `Usage:
  npm run access -- check FILE                          checks an access file; the exit status is 1 if it has an error
  npm run access -- explain PERSON [WORK [APPROVAL]]    explains a person's roles, whether they can see a Work, and whether they may
                                                        approve one of its approvals

PERSON is an id from npm run people -- list.`

const REASONS = {
  creator: "the person created this Work at this desk",
  team: "the Work belongs to one of the person's teams",
  organization: "everybody with a role can see the Work",
  approver: "the person may approve or decline one of its approvals, or has done so",
  overseer: "the person is an overseer",
} as const

/** Says in lines what a person may see and approve, by the functions by which the desk decides. @throws CommandError */
async function explain(personId: string, workId?: string, approvalId?: string): Promise<readonly string[]> {
  const configuration = readConfiguration(process.env)
  if (configuration.people.mode === "local") {
    throw new CommandError("OIDC_ISSUER is not set: this desk has only the person “local”, who may do everything")
  }
  const access = readAccess(configuration.people.accessFile)
  await using database = await openStoreForReading()
  const person = await findPerson(database, personId)
  if (person === undefined)
    throw new CommandError("There is no person with this id. To see the ids: npm run people -- list")
  const { identity, name } = person
  const viewer = viewerOf({ id: personId, identity }, access)
  const lines = [
    `person: ${name}, ${identity.email ?? "no verified address"}`,
    `groups: ${formatGroups(identity.groups, person.groupsClaim, configuration.people.groupsClaim)}, at the last sign-in`,
    ...ROLES.map((role) => formatRole(role, viewer)),
    ...formatFrozen(await readFreezes(database)),
  ]
  if (workId === undefined) return lines

  const read = await readService(configuration, workId)
  const work = read && parseObject(read.work)
  if (read === undefined || work === undefined) throw new CommandError("There is no such Work")
  const { creators, deciders } = (await peopleOf(database, [workId])).get(workId) ?? NOBODY
  const pending = readPendingForVisibility(parseObject(read.approvals) ?? {})
  const facts: WorkFacts = { ...readWorkForVisibility(work, workId), creators, deciders, pending, isUnsettled: false }
  const reason = whySees(viewer, facts)
  lines.push(...(reason === undefined ? formatConcealed(viewer, facts) : [`sees: yes, ${reason}: ${REASONS[reason]}`]))
  if (approvalId === undefined) return lines

  const approval = findApproval(Buffer.from(read.approvals), workId, approvalId)
  if (approval === undefined) throw new CommandError("This Work has no such approval")
  const creation = await creationOf(database, workId, personId)
  // The newest open session counts. Without one every sign-in is too old.
  const session = (await listSessions(database, configuration.people)).find((open) => open.personId === personId)
  const approver = { id: personId, identity, authenticatedAt: session?.authenticatedAt }
  const freezes = (await readFreezes(database)).filter((freeze) => isFrozenBy(freeze, approval.colleague))
  return [
    ...lines,
    ...formatApproval(approval, access, approver, creation, { seesWork: reason !== undefined, freezes }),
  ]
}

/** Says whether a person may approve, by which changes they may, and what each rule that matches says. */
function formatApproval(
  approval: ApprovalRead,
  access: Access,
  approver: Approver,
  creation: Creation,
  { seesWork, freezes }: { readonly seesWork: boolean; readonly freezes: readonly Freeze[] },
): readonly string[] {
  const rules = rulesFor(access, approval)
  const unmet = unmetDemands(access, rules, approver, creation, Date.now())
  const may = seesWork && approval.isPending && unmet.length === 0 && freezes.length === 0
  const lines = [`may approve: ${may ? "yes, the role and all matching rules allow it" : "no"}`]
  if (!seesWork) lines.push("change: the person must see the Work")
  if (!approval.isPending) lines.push("change: none, because the approval is no longer pending")
  for (const freeze of freezes) lines.push(`change: ${formatFreeze(freeze)}`)
  for (const each of unmet) lines.push(`change: ${formatChange(each, approver, access)}${formatNumbers(access, each)}`)
  if (approvalsNeeded(rules) > 1) lines.push(`approvals needed: ${approvalsNeeded(rules)}, from different people`)
  for (const rule of rules) {
    const isMet = !unmet.some((each) => each.need !== "role" && each.rule === rule)
    lines.push(`rule ${access.rules.indexOf(rule) + 1}: ${formatRule(rule)}: ${isMet ? "satisfied" : "not satisfied"}`)
  }
  if (rules.length === 0) lines.push("rules: no rule matches")
  if (destinationForms(approval.destination) === undefined)
    lines.push("destination: the desk can't parse it, so every rule with a destination matches")
  return lines
}

function formatFrozen(freezes: readonly Freeze[]): readonly string[] {
  if (freezes.length === 0) return ["frozen: nothing"]
  return freezes.map(({ colleague, by, since, reason }) => {
    const what = colleague === null ? "the desk" : `the colleague ${colleague}`
    return `frozen: ${what}, by ${by === OPERATOR ? "the operator" : by.name}, ${since}: ${reason}`
  })
}

function formatFreeze({ colleague, by, since, reason }: Freeze): string {
  const what = colleague === null ? "the desk" : `the colleague ${colleague}`
  return `the freeze of ${what} must end: ${by === OPERATOR ? "the operator" : by.name}, ${since}: ${reason}`
}

const formatNumbers = ({ rules }: Access, unmet: Unmet) =>
  unmet.need === "role" ? "" : ` (rule ${rules.indexOf(unmet.rule) + 1})`

function formatRole(role: Role, { access, identity }: Viewer): string {
  const found = access.roles[role].filter((member) => isAmong([member], identity))
  if (found.length > 0) return `role ${role}: yes, as ${formatMembers(found)}`
  return `role ${role}: no, ${access.roles[role].length === 0 ? "nobody has it" : `it needs ${formatMembers(access.roles[role])}`}`
}

function formatConcealed(viewer: Viewer, facts: WorkFacts): readonly string[] {
  const { scope, creators } = facts
  const creator = creators.size === 0 ? "nobody at this desk created it" : "somebody else created it"
  return [
    viewer.hasRole ? `sees: no, the Work is ${scope}, and ${creator}` : "sees: no, the person has no role at this desk",
    ...waysToSee(viewer, facts).map((way) => `change: ${formatWay(way, viewer.access)}`),
  ]
}

function formatWay(way: WayToSee, { roles }: Access): string {
  switch (way.way) {
    case "role":
      return `the person needs a role: ${ROLES.map((role) => `${role} ${formatMembers(roles[role])}`).join("; ")}`
    case "team":
      return `the person must be in the team ${way.team.name}: ${formatMembers(way.team.members)}`
    case "approver":
      return "the person must be able to approve one of its pending approvals"
    case "overseer":
      return `the person must be an overseer: ${formatMembers(way.members)}`
  }
}

function formatRule({ destination, colleague, approvers, preventSelfApproval, ...rule }: Rule): string {
  const parts = [
    destination !== undefined && `destination ${destination}`,
    colleague !== undefined && `colleague ${colleague}`,
    approvers !== undefined && `approvers ${formatMembers(approvers)}`,
    preventSelfApproval === true && "preventSelfApproval",
    rule.maxAuthenticationAgeSeconds !== undefined && `maxAuthenticationAgeSeconds ${rule.maxAuthenticationAgeSeconds}`,
    rule.approvalsNeeded !== undefined && `approvalsNeeded ${rule.approvalsNeeded}`,
  ]
  return parts.filter((part) => part !== false).join("; ")
}

/** The answers of the service to getWork and listWorkApprovals. Undefined when there is no such Work. */
async function readService({ upstream, dataFolder }: DeskConfiguration, workId: string) {
  if (upstream === undefined) return readServiceFile(join(dataFolder, "service", "service.db"), workId)
  const path = addressOfWork(workId)
  const work = await readUpstream(upstream, path)
  if (work === undefined) return undefined
  return { work, approvals: (await readUpstream(upstream, `${path}/approvals`)) ?? '{"data":[]}' }
}

const ANSWER_TIMEOUT_MS = 20_000

async function readUpstream({ baseUrl, token }: UpstreamConfiguration, path: string): Promise<string | undefined> {
  const headers = token.authorize({ accept: "application/json" })
  const request: RequestInit = { headers, redirect: "error", signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) }
  const answer = await fetch(baseUrl + path, request).catch(() => undefined)
  if (answer?.status === 404) return undefined
  if (answer?.status === 200) return answer.text()
  throw new CommandError(
    answer === undefined ? "The service can't be reached" : `The service responded with status ${answer.status}`,
  )
}

/** Reads the file of the embedded service, because the service answers its own desk alone. */
function readServiceFile(file: string, workId: string) {
  if (!existsSync(file)) return undefined
  using store = new DatabaseSync(file, { readOnly: true })
  const work = store.prepare("SELECT id, visibility_scope, colleague_id FROM work WHERE id = ?").get(workId)
  const columns = "id, work_id, status, version, requested_by_colleague, destination, summary, subject"
  const approvals = store.prepare(`SELECT ${columns} FROM approval WHERE work_id = ?`).all(workId)
  return work && { work: JSON.stringify(work), approvals: JSON.stringify({ data: approvals }) }
}

await runAsCommand({ usage: USAGE, options: {} }, async (_, command, subject, work, approval, ...others) => {
  if (subject === undefined || others.length > 0) return "usage"
  if (command === "check" && work === undefined) {
    const warnings = emptyRules(readAccess(subject))
    for (const sentence of warnings) console.log(`warning: ${sentence}`)
    console.log("The access file is valid.")
  } else if (command === "explain") {
    for (const line of await explain(subject, work, approval)) console.log(printable(line))
  } else return "usage"
  return 0
})
