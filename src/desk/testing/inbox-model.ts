/**
 * A small model of a shared inbox: what people see and may do. Written from `docs/team.md` and `docs/operating.md`, "Who sees what", and not from the
 * code. `inbox-search.ts` compares desks with it.
 */

export const PEOPLE = ["Ada", "Ben", "Cleo", "Dora"] as const
export type Name = (typeof PEOPLE)[number]

type Person = {
  readonly groups: readonly string[]
  readonly roles: readonly string[]
  readonly teams: readonly string[]
}
/** Ada and Cleo approve, Ben and Cleo answer and delegate, Dora oversees. */
const person: Readonly<Record<Name, Person>> = {
  Ada: { groups: ["finance"], roles: ["approver"], teams: ["Finance"] },
  Ben: { groups: ["ops"], roles: ["answerer", "delegator"], teams: ["Operations"] },
  Cleo: { groups: ["finance", "ops"], roles: ["approver", "answerer", "delegator"], teams: ["Finance", "Operations"] },
  Dora: { groups: ["audit"], roles: [], teams: [] },
}
export const groupsOf = (name: Name) => person[name].groups

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
  readonly deciders: Name[]
}
type Item = {
  readonly id: string
  readonly work: string
  /** Left out: a question. */
  readonly destination?: Destination
  version: number
  isPending: boolean
  /** Who has approved it, and in which version. */
  readonly held: Partial<Record<Name, number>>
  /** Who has set it aside. */
  readonly aside: Name[]
  assignee?: Name
}
type Entry = {
  readonly operation: string
  readonly outcome: string
  readonly by: Name
  readonly work?: string
  readonly item?: string
}
export type State = { readonly works: Work[]; readonly items: Item[]; readonly record: Entry[]; isFrozen: boolean }

export const BEGINNING: State = { works: [], items: [], record: [], isFrozen: false }

/** Something that happens to an item. `item` is an index of the pending items. Without a pending item nothing happens. */
export type ItemCommand =
  | { readonly do: "new version"; readonly item: number }
  | { readonly do: "resolved elsewhere"; readonly item: number }
  | { readonly do: "approve" | "decline"; readonly who: Name; readonly item: number; readonly isStale?: true }
  | { readonly do: "answer" | "withdraw"; readonly who: Name; readonly item: number }
  | { readonly do: "aside" | "bring back"; readonly who: Name; readonly item: number }
  | { readonly do: "take" | "give back"; readonly who: Name; readonly item: number }
  | { readonly do: "hand"; readonly who: Name; readonly item: number; readonly to: Name }
type OtherCommand =
  | { readonly do: "delegate"; readonly who: Name; readonly scope: Scope; readonly colleague: string }
  | { readonly do: "created elsewhere"; readonly scope: Scope; readonly colleague: string }
  | { readonly do: "ask"; readonly work: number; readonly destination?: Destination }
  | { readonly do: "freeze" | "end the freeze"; readonly who: Name }
  | { readonly do: "sign in again"; readonly who: Name }
  | { readonly do: "restart" }
export type Command = ItemCommand | OtherCommand

const nth = <Thing>(things: readonly Thing[], index: number): Thing | undefined => things[index % things.length]
export const workOf = ({ works }: State, index: number) => nth(works, index)
export const itemOf = ({ items }: State, index: number) =>
  nth(
    items.filter(({ isPending }) => isPending),
    index,
  )
const has = (name: Name, role: string) => person[name].roles.includes(role)
const workWith = ({ works }: State, id: string) => works.find((work) => work.id === id)

export function sees(state: State, name: Name, id: string): boolean {
  const work = workWith(state, id)
  if (work === undefined) return false
  const { scope, colleague, creator, deciders } = work
  if (creator === name || name === "Dora" || scope === "organization" || deciders.includes(name)) return true
  const ofColleague = ACCESS.visibility.teams
    .filter(({ colleagues }) => colleagues.includes(colleague))
    .map((team) => team.name)
  const teams = creator === undefined ? ofColleague : person[creator].teams
  if (scope === "team" && teams.some((team) => person[name].teams.includes(team))) return true
  const isExcluded = ({ destination }: Item) => destination === "a@ops.example" && !person[name].groups.includes("ops")
  const asks = state.items.filter((item) => item.work === id && item.isPending && item.destination !== undefined)
  return has(name, "approver") && asks.some((item) => !isExcluded(item))
}

function mayDecide(state: State, name: Name, { work, destination }: Item): boolean {
  if (!sees(state, name, work)) return false
  if (destination === undefined) return has(name, "answerer")
  if (!has(name, "approver")) return false
  if (destination === "a@ops.example") return person[name].groups.includes("ops")
  return destination !== "a@own.example" || workWith(state, work)?.creator !== name
}

/** Who has approved the present version. */
const given = ({ held, version }: Item) => PEOPLE.filter((name) => held[name] === version)

const needs = (state: State, name: Name, item: Item): boolean =>
  item.isPending && mayDecide(state, name, item) && !given(item).includes(name) && !item.aside.includes(name)

type Next = { readonly state: State; readonly status: number }

/** The state after a command, and the status of the desk's answer: 0 if the command sends no request to the desk. */
export function next(before: State, command: Command): Next {
  const state = structuredClone(before)
  const status = "item" in command ? changeItem(state, command) : change(state, command)
  return { state, status }
}

/** Makes the change. @returns the status */
function change(state: State, command: OtherCommand): number {
  const { items, works, record } = state
  switch (command.do) {
    case "delegate": {
      const { who, scope, colleague } = command
      if (!has(who, "delegator")) return 403
      if (state.isFrozen) return 423
      const id = `work${works.length}`
      works.push({ id, scope, colleague, creator: who, deciders: [] })
      record.push({ by: who, operation: "createWork", outcome: "recorded", work: id })
      return 201
    }
    case "created elsewhere":
      works.push({ id: `work${works.length}`, scope: command.scope, colleague: command.colleague, deciders: [] })
      return 0
    case "ask": {
      const work = workOf(state, command.work)
      const { destination } = command
      const isAsked = items.some((each) => each.isPending && each.work === work?.id && each.destination === undefined)
      if (work === undefined || (destination === undefined && isAsked)) return 0
      items.push({
        id: `item${items.length}`,
        work: work.id,
        version: 1,
        isPending: true,
        held: {},
        aside: [],
        ...(destination !== undefined && { destination }),
      })
      return 0
    }
    case "sign in again":
    case "restart":
      return 0
    case "freeze":
      if (command.who !== "Dora") return 403
      // The same reason again changes nothing.
      if (state.isFrozen) return 200
      state.isFrozen = true
      record.push({ by: command.who, operation: "freeze", outcome: "recorded" })
      return 200
    case "end the freeze":
      if (command.who !== "Dora") return 403
      if (!state.isFrozen) return 404
      state.isFrozen = false
      record.push({ by: command.who, operation: "unfreeze", outcome: "recorded" })
      return 204
  }
}

function changeItem(state: State, command: ItemCommand): number {
  const item = itemOf(state, command.item)
  if (item === undefined) return 0
  if (command.do === "new version") {
    item.version++
    item.aside.length = 0
    return 0
  }
  if (command.do === "resolved elsewhere") {
    item.isPending = false
    return 0
  }
  const { who } = command
  const recorded = (by: Name, operation: string, outcome: string) =>
    void state.record.push({ operation, outcome, by, work: item.work, item: item.id })
  const isLetter = item.destination !== undefined
  if (command.do === "approve" || command.do === "decline" || command.do === "answer") {
    if (isLetter === (command.do === "answer")) return 0
    if (!has(who, isLetter ? "approver" : "answerer")) return 403
    if (!sees(state, who, item.work)) return 404
    if (command.do === "approve" && state.isFrozen) return 423
    if ("isStale" in command && command.isStale) return 412
    const operation = isLetter ? "resolveWorkApproval" : "resolveWorkAttention"
    if (command.do === "approve") {
      if (!mayDecide(state, who, item)) return 403
      const others = given(item).filter((name) => name !== who)
      if (item.destination === "a@two.example" && others.length === 0) {
        item.held[who] = item.version
        recorded(who, operation, "held")
        return 202
      }
    }
    item.isPending = false
    if (isLetter) workWith(state, item.work)?.deciders.push(who)
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
      if (!item.aside.includes(who)) item.aside.push(who)
      return 200
    case "bring back":
      if (item.aside.includes(who)) item.aside.splice(item.aside.indexOf(who), 1)
      return 200
    case "take":
    case "hand":
    case "give back": {
      if (!mayDecide(state, who, item)) return 403
      const to = command.do === "hand" ? command.to : command.do === "take" ? who : undefined
      if (to === item.assignee) return 200
      if (to !== undefined && !mayDecide(state, to, item)) return 400
      if (to !== undefined && item.aside.includes(to)) item.aside.splice(item.aside.indexOf(to), 1)
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
  const isSeen = ({ work, by, operation }: Entry) =>
    by === name || operation === "freeze" || operation === "unfreeze" || (work !== undefined && sees(state, name, work))
  return {
    waiting: pending.map((item) => ({
      id: item.id,
      version: item.version,
      needsYou: needs(state, name, item),
      isAside: item.aside.includes(name),
      assignee: item.assignee ?? "nobody",
      given: item.destination === "a@two.example" ? given(item).map(String) : [],
    })),
    works: state.works.filter(({ id }) => sees(state, name, id)).map(({ id }) => id),
    record: state.record
      .filter(isSeen)
      .map(({ operation, outcome, by, item = "" }) => `${by} ${operation} ${item} ${outcome}`),
  }
}
