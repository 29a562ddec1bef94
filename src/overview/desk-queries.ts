/** Joins what answers people from the watcher: `GET /desk/waiting` (waiting/), `/desk/context` (context/), `/desk/overview` and `/desk/work` (here). */
import type { KnownApprovalStore } from "../context/known-approval-store.ts"
import type { ReadDecisions } from "../record/decisions.ts"
import { SHOWN_DAYS } from "../contract/desk-work.ts"
import { PROBLEM_MEDIA_TYPE } from "../contract/problem.ts"
import type { Refusal } from "../contract/refusal.ts"
import { type ContextSources, findContext, type FoundContext } from "../context/find-context.ts"
import { Decisions } from "../context/decisions.ts"
import { KnownApprovals } from "../context/known-approvals.ts"
import { DoneWork } from "../waiting/done-work.ts"
import type { WorkPeople } from "../record/work-people.ts"
import { failureIn, isViewComplete, totalOf, type Audience, type View } from "../waiting/views.ts"
import type { DeskAnswer, ReadUpstream } from "../waiting/answers.ts"
import type { EntryMembers } from "../waiting/long-polls.ts"
import { itemUnknown, itemUnread } from "../waiting/team/team-refusals.ts"
import { TeamRequests, type TeamRequestsSources } from "../waiting/team/team-requests.ts"
import { Team, type TeamItem, type TeamSources } from "../waiting/team/team.ts"
import type { ListedItem } from "../waiting/resources.ts"
import { itemsOf, type WatchedWork } from "../waiting/watch-state.ts"
import type { Session } from "../people/people.ts"
import { Watcher } from "../waiting/watcher.ts"
import { isZone } from "./days.ts"
import { listOpenWork, readOpenWorkQuery } from "./open-work-pages.ts"
import { buildOverview } from "./overview.ts"
import { queryInvalid } from "../contract/refusals.ts"

/** How many colleagues `GET /desk/work` names to choose from. */
const COLLEAGUES_MAX = 500
const DAY_MS = 86_400_000
/** How far back the overview takes decisions: the days that it shows, and one more, because a day has up to 25 hours. */
const DECISIONS_TAKEN_MS = (SHOWN_DAYS + 1) * DAY_MS

export type DeskQueriesSources = {
  readonly readUpstream: ReadUpstream
  /** Where known approvals are stored. Left out: they are forgotten at the end of the process. */
  readonly knownApprovals?: KnownApprovalStore | undefined
  /** A destination that was not seen for so many days is forgotten. Undefined: none is. */
  readonly knownDestinationsDays?: number | undefined
  /** Left out: there is no record. */
  readonly readDecisions?: ReadDecisions | undefined
  /** Who created and decided what. Left out: everybody sees everything. */
  readonly people?: WorkPeople | undefined
  /** Called when the Works that people see may have changed. */
  readonly onSightChange?: (watcher: Watcher) => void
  /** Left out: there is no presence, no assignment, and nothing is set aside. */
  readonly team?: TeamOptions | undefined
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number
}

export type TeamOptions = Omit<TeamSources, "isWatched" | "changed"> &
  Omit<TeamRequestsSources, "find"> & {
    readonly audienceOf: (session: Session) => Audience
  }

/** How long a person's request waits for an item that the watcher has not read yet. */
const FIND_MS = 5_000

export class DeskQueries {
  readonly watcher: Watcher
  readonly team: Team | undefined
  readonly teamRequests: TeamRequests | undefined
  readonly #context: ContextSources

  constructor(sources: DeskQueriesSources) {
    const { readUpstream, knownApprovals, knownDestinationsDays, people, team, now } = sources
    const forgetAfterMs = knownDestinationsDays === undefined ? undefined : knownDestinationsDays * DAY_MS
    const approvals = new KnownApprovals(knownApprovals, forgetAfterMs)
    const done = new DoneWork(approvals.doneWorks)
    const decisions = new Decisions(sources.readDecisions)
    this.team = team && this.#openTeam(team)
    this.teamRequests = team && this.team && this.#openTeamRequests(this.team, team)
    this.watcher = new Watcher({
      readUpstream,
      now,
      people,
      members: this.team && this.#membersOf(this.team),
      onSightChange: () => sources.onSightChange?.(this.watcher),
      done,
      onBegin: () => {
        void approvals.load()
        void this.team?.load()
      },
      onApprovals(workId, read, doneVersion) {
        approvals.take(workId, read)
        if (doneVersion === undefined) return
        approvals.takeDoneWork(workId, { version: doneVersion, facts: done.factsOf(workId) })
      },
    })
    this.#context = { readUpstream, watcher: this.watcher, done, approvals, decisions }
  }

  #openTeam(options: TeamOptions): Team {
    return new Team({
      ...options,
      isWatched: () => this.watcher.isWatched,
      changed: (isDeed) => this.watcher.membersChanged(isDeed),
    })
  }

  #openTeamRequests(team: Team, { audienceOf, ...options }: TeamOptions): TeamRequests {
    return new TeamRequests(team, {
      ...options,
      find: async (session, workId, itemId) => {
        const watched = await this.watcher.find(audienceOf(session), workId, itemId, FIND_MS)
        if (watched === "unread") return itemUnread
        if (watched === "absent") return itemUnknown
        const item = itemsOf(watched).find(({ id }) => id === itemId)
        return item === undefined ? itemUnknown : this.teamItem(watched, item)
      },
    })
  }

  #membersOf(team: Team): EntryMembers {
    return {
      keyOf: (audience) => team.keyOf(audience === "everything" ? "local" : audience.id),
      write: (key, watched, item) => team.members(key, this.teamItem(watched, item)),
      changes: team.changes,
    }
  }

  /** An item that waits, as the team looks at it. */
  teamItem(watched: WatchedWork, item: ListedItem): TeamItem {
    const known = Date.parse(this.#context.approvals.get(watched.work.id, item.id)?.createdAt ?? "")
    return {
      work: watched.work,
      item,
      facts: () => this.watcher.views.factsOf(watched),
      firstCreatedAt: Number.isNaN(known) ? item.createdAt : known,
    }
  }

  /** What a person should know before they decide about an approval: `GET /desk/context`. */
  context(query: string, audience: Audience): Promise<FoundContext | DeskAnswer | Refusal> {
    return findContext(query, audience, this.#context)
  }

  /** Answers `GET /desk/overview?zone=`. */
  async overview(query: string, audience: Audience): Promise<DeskAnswer | Refusal> {
    const zone = new URLSearchParams(query).get("zone") ?? "UTC"
    if (!isZone(zone)) return queryInvalid("zone must be the name of a time zone, such as Europe/Oslo.")
    const state = this.watcher.use()
    const { approvals, decisions, done } = this.#context
    await decisions.refresh()
    const now = Date.now()
    const view = this.watcher.views.of(audience)
    const sees = (workId: string) => this.watcher.views.seesWork(audience, workId)
    const recorded = decisions.since(now - DECISIONS_TAKEN_MS, approvals, sees)
    const overview = buildOverview(
      {
        works: view.works,
        total: totalOf(state, view),
        isComplete: isViewComplete(state, view),
        problem: failureIn(state, view)?.problem,
        done: new Map([...done.created].filter(([id]) => sees(id))),
        isDoneListed: done.areShownDaysListed,
        decisions: recorded.decisions,
        recordedSince: recorded.first,
      },
      now,
      zone,
    )
    return json(JSON.stringify(overview))
  }

  /**
   * Answers `GET /desk/work`: open Work, filtered, grouped and sorted. With `isFresh` (the request has `no-cache`) the answer waits a moment
   * for a list that was read after the request. While the list cannot be read, the first page is the upstream's Problem.
   */
  async work(query: string, isFresh: boolean, audience: Audience): Promise<DeskAnswer | Refusal> {
    const { state, pauseMs } = await this.watcher.useList(isFresh)
    const asked = readOpenWorkQuery(query)
    if ("wrong" in asked) return queryInvalid(`${asked.wrong} has a bad value, or is given twice.`)
    const failure = asked.cursor === undefined ? state.listFailure : undefined
    if (failure !== undefined) {
      const retryAfter = pauseMs > 0 && { "Retry-After": String(Math.ceil(pauseMs / 1_000)) }
      const headers = { "Content-Type": PROBLEM_MEDIA_TYPE, ...retryAfter }
      return { status: failure.problem.status, headers, body: Buffer.from(failure.json), cause: failure.cause }
    }
    const view = this.watcher.views.of(audience)
    const { works, nextCursor, total, groups } = listOpenWork(view.works, asked, Date.now())
    const members = [
      `"data":[${works.map((work) => work.json).join(",")}]`,
      ...(nextCursor === undefined ? [] : [`"next_cursor":${JSON.stringify(nextCursor)}`]),
      `"total":${total},"of":${totalOf(state, view)},"complete":${state.isListed && state.unwatched === 0}`,
      `"colleagues":${JSON.stringify(listColleagues(view))}`,
      ...(groups === undefined ? [] : [`"groups":${JSON.stringify(groups)}`]),
    ]
    return json(`{${members.join(",")}}`)
  }

  /** Stops the watcher, and saves the known approvals. */
  async stop(): Promise<void> {
    this.team?.stop()
    this.watcher.stop()
    await this.#context.approvals.save()
  }
}

/** The colleagues that have open Work, so that a person can choose one. */
function listColleagues({ works }: View): readonly string[] {
  const colleagues = new Set(works.map(({ work }) => work.colleague))
  return [...colleagues].sort().slice(0, COLLEAGUES_MAX)
}

function json(text: string): DeskAnswer {
  return { status: 200, headers: { "Content-Type": "application/json" }, body: Buffer.from(text) }
}
