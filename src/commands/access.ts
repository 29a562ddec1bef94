/** `npm run access` checks an access file, and explains what a person may see and approve. It reads the desk's environment and changes nothing. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Role } from "../contract/desk-people.ts"
import { parseObject } from "../contract/json-object.ts"
import { noRole, roleMissing } from "../contract/refusals.ts"
import { isAmong, type Member, type Rule } from "../people/access.ts"
import { findPerson, listSessions } from "../people/administration.ts"
import { ROLES } from "../people/roles.ts"
import { approvalsNeeded, type Approver, checkRules, rulesFor } from "../people/rules/rules.ts"
import { type Viewer, viewerOf, whySees, type WorkFacts } from "../people/visibility.ts"
import { type DeskConfiguration, readConfiguration, type UpstreamConfiguration } from "../desk/desk-configuration.ts"
import { findApproval } from "../record/recorded-content.ts"
import { creationOf } from "../record/creations.ts"
import { peopleOfWork } from "../record/work-people.ts"
import { readPendingInSight, readWorkInSight } from "../waiting/resources.ts"
import { CommandError, openStoreForReading, printable, readAccess, runAsCommand } from "./command.ts"

const USAGE = `Usage:
  npm run access -- check FILE                          reads an access file as the desk does; the exit status is 1 if it has a fault
  npm run access -- explain PERSON [WORK [APPROVAL]]    says which roles a person has and why, whether they see a Work, and whether
                                                        they may approve an approval of it

PERSON is an id of npm run people -- list.`

const REASONS = {
  creator: "the person created this Work at this desk",
  team: "the Work belongs to a team of the person",
  organization: "the Work is for everybody with a role",
  approver: "the person may decide an approval that waits, or decided one",
  overseer: "the person is an overseer",
} as const

/**
 * Explains in lines what a person may see and approve. Asks the functions by which the desk decides.
 * @throws CommandError when there is no such person, Work or approval, or the service does not answer
 */
async function explain(personId: string, workId?: string, approvalId?: string): Promise<readonly string[]> {
  const configuration = readConfiguration(process.env)
  if (configuration.people.mode === "local") {
    throw new CommandError("OIDC_ISSUER is not set: one person, local, may see and do everything at this desk")
  }
  const access = readAccess(configuration.people.accessFile)
  await using database = await openStoreForReading()
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

  const read = await readService(configuration, workId)
  const work = read && parseObject(read.work)
  if (read === undefined || work === undefined) throw new CommandError("There is no such Work")
  const { creators, deciders } = await peopleOfWork(database, workId)
  const pending = readPendingInSight(parseObject(read.approvals) ?? {})
  const facts: WorkFacts = { ...readWorkInSight(work, workId), creators, deciders, pending, isUnsettled: false }
  const reason = whySees(viewer, facts)
  lines.push(
    reason === undefined ? `sees: no, ${sayConcealed(viewer, facts)}` : `sees: yes, ${reason}: ${REASONS[reason]}`,
  )
  if (approvalId === undefined) return lines

  const approval = findApproval(Buffer.from(read.approvals), workId, approvalId)
  if (approval === undefined || approval === "invalid") throw new CommandError("There is no such approval of this Work")
  const rules = rulesFor(access, approval)
  const creation = await creationOf(database, workId, personId)
  // The newest open session counts. Without one every sign-in is too old.
  const session = (await listSessions(database, configuration.people)).find((open) => open.personId === personId)
  const approver: Approver = { person: { id: personId }, identity, authenticatedAt: session?.authenticatedAt }
  const check = (some: readonly Rule[]) => {
    const may = checkRules(some, approver, creation, access, Date.now())
    return may.approve ? undefined : may.detail
  }
  const refusal = whyNoApproval(viewer, reason !== undefined, approval.isPending) ?? check(rules)
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
  if (found.length > 0) return `role ${role}: yes, as ${sayMembers(found)}`
  return `role ${role}: no, ${access.roles[role].length === 0 ? "nobody has it" : `it needs ${sayMembers(access.roles[role])}`}`
}

const sayMembers = (members: readonly Member[]) => members.map(sayMember).join(", ")

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

/** Why the person may not approve, whatever the rules say. Undefined: the rules decide. */
function whyNoApproval(viewer: Viewer, sees: boolean, isPending: boolean): string | undefined {
  if (!viewer.isApprover) return roleMissing("approver", viewer.access.contact).detail
  if (!sees) return "the person does not see the Work"
  return isPending ? undefined : "the approval is not pending any more"
}

function sayRule({ destination, colleague, approvers, preventSelfApproval, ...rule }: Rule): string {
  const parts = [
    destination !== undefined && `destination ${destination}`,
    colleague !== undefined && `colleague ${colleague}`,
    approvers !== undefined && `approvers ${sayMembers(approvers)}`,
    preventSelfApproval === true && "preventSelfApproval",
    rule.maxAuthenticationAgeSeconds !== undefined && `maxAuthenticationAgeSeconds ${rule.maxAuthenticationAgeSeconds}`,
    rule.approvalsNeeded !== undefined && `approvalsNeeded ${rule.approvalsNeeded}`,
  ]
  return printable(parts.filter((part) => part !== false).join("; "))
}

/** The answers of the service to getWork and listWorkApprovals. Undefined when there is no such Work. */
async function readService({ upstream, dataFolder }: DeskConfiguration, workId: string) {
  if (upstream === undefined) return readServiceFile(join(dataFolder, "service", "service.db"), workId)
  const path = `/api/v1/work/${encodeURIComponent(workId)}`
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
  throw new CommandError(`The service does not answer the question: ${answer?.status ?? "it cannot be reached"}`)
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
    readAccess(subject)
    console.log("The access file is good.")
  } else if (command === "explain") {
    console.log((await explain(subject, work, approval)).join("\n"))
  } else return "usage"
  return 0
})
