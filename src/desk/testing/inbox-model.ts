/**
 * A small model of a shared inbox: what people see and may do. Written from `docs/team.md` and `docs/operating.md`, "Who sees what", and not from the
 * code. `inbox-search.ts` compares desks with it.
 */

export const PEOPLE = ["Ada", "Ben", "Cleo", "Dora"] as const
export type Name = (typeof PEOPLE)[number]

type Group = "finance" | "ops" | "audit"
/** Ada and Cleo approve, Ben and Cleo answer and delegate, Dora oversees. */
const GROUPS: Readonly<Record<Name, readonly Group[]>> = {
  Ada: ["finance"],
  Ben: ["ops"],
  Cleo: ["finance", "ops"],
  Dora: ["audit"],
}
export const groupsOf = ({ groups }: State, name: Name) => groups[name]

export const ACCESS = {
  roles: { reader: ["anyone"], answerer: ["group:ops"], delegator: ["group:ops"], approver: ["group:finance"] },
  visibility: {
    teams: [
      { name: "Finance", members: ["group:finance"], colleagues: ["analyst"] },
      { name: "Operations", members: ["group:ops"], colleagues: ["metronome"] },
    ],
    overseers: ["group:audit"],
  },
  rules: [
    { destination: "*@two.example", approvalsNeeded: 2 },
    { destination: "*@own.example", preventSelfApproval: true },
    { destination: "*@ops.example", approvers: ["group:ops"] },
  ],
}
export const DESTINATIONS = ["a@plain.example", "a@two.example", "a@own.example", "a@ops.example"] as const
export const SCOPES = ["private", "team", "organization"] as const
export const COLLEAGUES = ["analyst", "metronome"] as const
type Scope = (typeof SCOPES)[number]
type Destination = (typeof DESTINATIONS)[number]

type Work = {
  readonly id: string
  readonly scope: Scope
  readonly colleague: string
  readonly creator?: Name
  /** The teams of its creator when it was created. */
  readonly teams?: readonly string[]
  readonly deciders: Name[]
  version: number
  readonly unseen: Unseen
}
/** For whom a Work may be new, for whom it must be because somebody else acted in it, and who has answered or decided in it. */
type Unseen = { readonly changed: Name[]; readonly acted: Name[]; readonly actors: Name[] }
type Item = {
  readonly id: string
  readonly work: string
  /** Left out: a question. */
  readonly destination?: Destination
  version: number
  isPending: boolean
  /** Who has approved it, and in which version. */
  readonly held: Partial<Record<Name, number>>
  /** Who has set it aside, and whether its time comes soon. */
  readonly aside: Partial<Record<Name, Duration>>
  /** Who has not seen the Work since the item came. */
  readonly unseen: Name[]
  assignee?: Name
}
/** `soon` is over when time passes. */
type Duration = "soon" | "long"
type Entry = {
  readonly operation: string
  readonly outcome: string
  readonly by: Name
  readonly work?: string
  readonly item?: string
}
type Absence = { readonly standIn?: Name; readonly lasts: Duration }
export type State = {
  readonly works: Work[]
  readonly items: Item[]
  readonly record: Entry[]
  /** The frozen colleagues; `""` is the desk. */
  readonly frozen: string[]
  readonly groups: Record<Name, readonly Group[]>
  readonly signedOut: Name[]
  readonly away: Partial<Record<Name, Absence>>
}

export const BEGINNING: State = {
  works: [],
  items: [],
  record: [],
  frozen: [],
  groups: GROUPS,
  signedOut: [],
  away: {},
}

/** Something that happens to an item. `item` is an index of the pending items. Without a pending item nothing happens. */
export type ItemCommand =
  | { readonly do: "new version"; readonly item: number }
  | { readonly do: "resolved elsewhere"; readonly item: number }
  | { readonly do: "approve" | "decline"; readonly who: Name; readonly item: number; readonly isStale?: true }
  | { readonly do: "answer" | "withdraw"; readonly who: Name; readonly item: number }
  | { readonly do: "aside"; readonly who: Name; readonly item: number; readonly lasts: Duration }
  | { readonly do: "bring back"; readonly who: Name; readonly item: number }
  | { readonly do: "take" | "give back"; readonly who: Name; readonly item: number }
  | { readonly do: "hand"; readonly who: Name; readonly item: number; readonly to: Name }
type OtherCommand =
  | { readonly do: "delegate"; readonly who: Name; readonly scope: Scope; readonly colleague: string }
  | { readonly do: "created elsewhere"; readonly scope: Scope; readonly colleague: string }
  | { readonly do: "ask"; readonly work: number; readonly destination?: Destination }
  | { readonly do: "freeze" | "end the freeze"; readonly who: Name; readonly colleague?: string }
  | { readonly do: "sign in again"; readonly who: Name; readonly groups?: readonly Group[] }
  | { readonly do: "sign out" | "return" | "see all"; readonly who: Name }
  | { readonly do: "away"; readonly who: Name; readonly standIn?: Name; readonly lasts: Duration }
  | { readonly do: "see"; readonly who: Name; readonly work: number }
  | { readonly do: "restart" }
export type Command = ItemCommand | OtherCommand

const nth = <Thing>(things: readonly Thing[], index: number): Thing | undefined => things[index % things.length]
export const workOf = ({ works }: State, index: number) => nth(works, index)
export const itemOf = ({ items }: State, index: number) =>
  nth(
    items.filter(({ isPending }) => isPending),
    index,
  )
/** Colleagues are compared without letter case. */
const isFrozen = ({ frozen }: State, colleague: string) =>
  ["", colleague.toLowerCase()].some((each) => frozen.includes(each))
/** Everybody may read. The group finance approves; ops answers and delegates. */
const isIn = ({ groups }: State, name: Name, group: Group) => groups[name].includes(group)
const teamsOf = (state: State, name: Name) =>
  ACCESS.visibility.teams
    .filter(({ members }) => groupsOf(state, name).some((group) => members.includes(`group:${group}`)))
    .map((team) => team.name)
const workWith = ({ works }: State, id: string) => works.find((work) => work.id === id)

export function sees(state: State, name: Name, id: string): boolean {
  const work = workWith(state, id)
  if (work === undefined) return false
  const { scope, colleague, creator, deciders } = work
  if (creator === name || isIn(state, name, "audit") || scope === "organization" || deciders.includes(name)) return true
  const ofColleague = ACCESS.visibility.teams
    .filter(({ colleagues }) => colleagues.includes(colleague))
    .map((team) => team.name)
  const teams = work.teams ?? ofColleague
  if (scope === "team" && teams.some((team) => teamsOf(state, name).includes(team))) return true
  const isExcluded = ({ destination }: Item) => destination === "a@ops.example" && !isIn(state, name, "ops")
  const asks = state.items.filter((item) => item.work === id && item.isPending && item.destination !== undefined)
  return isIn(state, name, "finance") && asks.some((item) => !isExcluded(item))
}

function mayDecide(state: State, name: Name, { work, destination }: Item): boolean {
  if (!sees(state, name, work)) return false
  if (destination === undefined) return isIn(state, name, "ops")
  if (!isIn(state, name, "finance")) return false
  if (destination === "a@ops.example") return isIn(state, name, "ops")
  return destination !== "a@own.example" || workWith(state, work)?.creator !== name
}

/** Who has approved the present version, and may still approve. */
const given = (state: State, item: Item) =>
  PEOPLE.filter((name) => item.held[name] === item.version && mayDecide(state, name, item))

const needs = (state: State, name: Name, item: Item): boolean =>
  item.isPending && mayDecide(state, name, item) && !given(state, item).includes(name) && item.aside[name] === undefined

/** An assignment counts while its person may decide the item. */
const assigneeOf = (state: State, item: Item): Name | undefined =>
  item.assignee !== undefined && mayDecide(state, item.assignee, item) ? item.assignee : undefined

/** Who stands in for an assignee who is away: somebody who is here and may decide the item. */
function standInOf(state: State, item: Item): string {
  const absence = state.away[assigneeOf(state, item) ?? "Dora"]
  if (assigneeOf(state, item) === undefined || absence === undefined) return "is here"
  const { standIn } = absence
  if (standIn === undefined || state.away[standIn] !== undefined) return "nobody"
  return mayDecide(state, standIn, item) ? standIn : "nobody"
}

/** The Work changes. `by`: a person who answers or decides in it, which makes nothing new to them. */
function changeWork(work: Work | undefined, by?: Name): void {
  if (work === undefined) return
  work.version++
  const { changed, acted, actors } = work.unseen
  for (const name of PEOPLE) {
    if (name === by) continue
    if (!changed.includes(name)) changed.push(name)
    if (by !== undefined && !acted.includes(name)) acted.push(name)
  }
  if (by !== undefined && !actors.includes(by)) actors.push(by)
}

/** The person has seen the Work as it is. */
function see({ items }: State, { id, unseen }: Work, name: Name): void {
  const lists = [unseen.changed, unseen.acted, ...items.filter(({ work }) => work === id).map((item) => item.unseen)]
  for (const list of lists) if (list.includes(name)) list.splice(list.indexOf(name), 1)
}

const concerns = ({ creator, unseen }: Work, name: Name) => creator === name || unseen.actors.includes(name)

type Next = { readonly state: State; readonly status: number }

/** The state after a command, and the status of the desk's answer: 0 if the command sends no request to the desk. */
export function next(before: State, command: Command): Next {
  const state = structuredClone(before)
  const isSignedOut = "who" in command && state.signedOut.includes(command.who) && command.do !== "sign in again"
  if ("item" in command) {
    const item = itemOf(state, command.item)
    if (item === undefined || isMismatch(command, item)) return { state, status: 0 }
    return { state, status: isSignedOut ? 401 : changeItem(state, command, item) }
  }
  return { state, status: isSignedOut ? 401 : change(state, command) }
}

/** A letter isn't answered, and a question isn't approved. */
const isMismatch = ({ do: what }: ItemCommand, { destination }: Item) =>
  destination === undefined ? what === "approve" || what === "decline" : what === "answer"

/** The state when everything that ends soon has ended. */
export function afterSoon(before: State): State {
  const state = structuredClone(before)
  for (const name of PEOPLE) {
    if (state.away[name]?.lasts === "soon") delete state.away[name]
    for (const { aside } of state.items) if (aside[name] === "soon") delete aside[name]
  }
  return state
}

/** Makes the change. @returns the status */
function change(state: State, command: OtherCommand): number {
  const { items, works, record } = state
  switch (command.do) {
    case "delegate": {
      const { who, scope, colleague } = command
      if (!isIn(state, who, "ops")) return 403
      if (isFrozen(state, colleague)) return 423
      const id = `work${works.length}`
      works.push({ ...newWork(id), scope, colleague, creator: who, teams: teamsOf(state, who) })
      record.push({ by: who, operation: "createWork", outcome: "recorded", work: id })
      return 201
    }
    case "created elsewhere":
      works.push({ ...newWork(`work${works.length}`), scope: command.scope, colleague: command.colleague })
      return 0
    case "ask": {
      const work = workOf(state, command.work)
      const { destination } = command
      const isAsked = items.some((each) => each.isPending && each.work === work?.id && each.destination === undefined)
      if (work === undefined || (destination === undefined && isAsked)) return 0
      changeWork(work)
      items.push({
        id: `item${items.length}`,
        work: work.id,
        version: 1,
        isPending: true,
        held: {},
        aside: {},
        unseen: [...PEOPLE],
        ...(destination !== undefined && { destination }),
      })
      return 0
    }
    case "sign in again": {
      const { who, groups } = command
      if (groups !== undefined) state.groups[who] = groups
      if (state.signedOut.includes(who)) state.signedOut.splice(state.signedOut.indexOf(who), 1)
      return 0
    }
    case "sign out":
      state.signedOut.push(command.who)
      return 200
    case "restart":
      return 0
    case "away": {
      const { who, standIn, lasts } = command
      if (standIn === who) return 400
      state.away[who] = { lasts, ...(standIn !== undefined && { standIn }) }
      record.push({ by: who, operation: "setAway", outcome: "recorded" })
      return 200
    }
    case "return":
      if (state.away[command.who] === undefined) return 200
      delete state.away[command.who]
      record.push({ by: command.who, operation: "setAway", outcome: "recorded" })
      return 200
    case "see": {
      const work = workOf(state, command.work)
      if (work === undefined) return 0
      if (!sees(state, command.who, work.id)) return 404
      if (concerns(work, command.who)) see(state, work, command.who)
      return 204
    }
    case "see all":
      for (const work of works)
        if (concerns(work, command.who) && sees(state, command.who, work.id)) see(state, work, command.who)
      return 204
    case "freeze": {
      if (!isIn(state, command.who, "audit")) return 403
      const frozen = command.colleague?.toLowerCase() ?? ""
      // The same reason again changes nothing.
      if (state.frozen.includes(frozen)) return 200
      state.frozen.push(frozen)
      record.push({ by: command.who, operation: "freeze", outcome: "recorded" })
      return 200
    }
    case "end the freeze": {
      if (!isIn(state, command.who, "audit")) return 403
      const index = state.frozen.indexOf(command.colleague?.toLowerCase() ?? "")
      if (index < 0) return 404
      state.frozen.splice(index, 1)
      record.push({ by: command.who, operation: "unfreeze", outcome: "recorded" })
      return 204
    }
  }
}

const newWork = (id: string): Pick<Work, "id" | "deciders" | "version" | "unseen"> => ({
  id,
  deciders: [],
  version: 1,
  unseen: { changed: [], acted: [], actors: [] },
})

function changeItem(state: State, command: ItemCommand, item: Item): number {
  const work = workWith(state, item.work)
  if (command.do === "new version") {
    changeWork(work)
    item.version++
    for (const name of PEOPLE) delete item.aside[name]
    return 0
  }
  if (command.do === "resolved elsewhere") {
    changeWork(work)
    item.isPending = false
    return 0
  }
  const { who } = command
  const recorded = (by: Name, operation: string, outcome: string) =>
    void state.record.push({ operation, outcome, by, work: item.work, item: item.id })
  const isLetter = item.destination !== undefined
  if (command.do === "approve" || command.do === "decline" || command.do === "answer") {
    if (!isIn(state, who, isLetter ? "finance" : "ops")) return 403
    if (!sees(state, who, item.work)) return 404
    if (command.do === "approve" && isFrozen(state, work?.colleague ?? "")) return 423
    if ("isStale" in command && command.isStale) return 412
    const operation = isLetter ? "resolveWorkApproval" : "resolveWorkAttention"
    if (command.do === "approve") {
      if (!mayDecide(state, who, item)) return 403
      const others = given(state, item).filter((name) => name !== who)
      if (item.destination === "a@two.example" && others.length === 0) {
        if (work !== undefined && !concerns(work, who)) {
          see(state, work, who)
          work.unseen.actors.push(who)
        }
        item.held[who] = item.version
        recorded(who, operation, "held")
        return 202
      }
    }
    // Who acts in a Work for the first time knows what happened before.
    if (work !== undefined && !concerns(work, who)) see(state, work, who)
    changeWork(work, who)
    item.isPending = false
    if (isLetter) work?.deciders.push(who)
    recorded(who, operation, "recorded")
    return 200
  }
  if (!sees(state, who, item.work)) return 404
  switch (command.do) {
    case "withdraw":
      if (item.held[who] === undefined) return 404
      delete item.held[who]
      recorded(who, "withdrawApproval", "recorded")
      return 204
    case "aside":
      item.aside[who] = command.lasts
      return 200
    case "bring back":
      delete item.aside[who]
      return 200
    case "take":
    case "hand":
    case "give back": {
      if (!mayDecide(state, who, item)) return 403
      const to = command.do === "hand" ? command.to : command.do === "take" ? who : undefined
      if (to === assigneeOf(state, item)) return 200
      if (to !== undefined && !mayDecide(state, to, item)) return 400
      if (to !== undefined) delete item.aside[to]
      recorded(who, to === undefined ? "giveBackItem" : to === who ? "takeItem" : "handItem", "recorded")
      if (to === undefined) delete item.assignee
      else item.assignee = to
      return 200
    }
  }
}

/** What the desk shows a person. */
export function shown(state: State, name: Name) {
  const pending = state.items.filter(({ isPending, work }) => isPending && sees(state, name, work))
  const isSeen = ({ work, by }: Entry) => by === name || work === undefined || sees(state, name, work)
  return {
    waiting: pending.map((item) => ({
      id: item.id,
      version: item.version,
      needsYou: needs(state, name, item),
      isAside: item.aside[name] !== undefined,
      assignee: assigneeOf(state, item) ?? "nobody",
      standIn: standInOf(state, item),
      given: item.destination === "a@two.example" ? given(state, item).map(String) : [],
    })),
    away: state.away[name]?.standIn ?? (state.away[name] === undefined ? "is here" : "nobody"),
    works: state.works.filter(({ id }) => sees(state, name, id)).map(({ id }) => id),
    record: state.record
      .filter(isSeen)
      .map(({ operation, outcome, by, item = "" }) => `${by} ${operation} ${item} ${outcome}`),
  }
}

/** The Work that is new to a person, and what may be besides: a change that was their own, or came before they did something in the Work. */
export function newTo(state: State, name: Name) {
  const own = state.works.filter((work) => concerns(work, name) && sees(state, name, work.id))
  const hasNewItem = ({ id }: Work) =>
    state.items.some(({ work, isPending, unseen }) => work === id && isPending && unseen.includes(name))
  const idsOf = (works: readonly Work[]) => works.map(({ id }) => id)
  return {
    must: idsOf(own.filter((work) => work.unseen.acted.includes(name) || hasNewItem(work))),
    may: idsOf(own.filter(({ unseen }) => unseen.changed.includes(name))),
  }
}
