/**
 * Joins the watcher with everything that answers from what the watcher has read: `GET /desk/waiting` (`watcher.ts`), `/desk/context`
 * (`find-context.ts`), `/desk/overview` (`overview.ts`), `/desk/work` (`open-work-pages.ts`), and the requests about claims (`claim-requests.ts`).
 */
import { inBackground } from "../../platform/background.ts"
import type { Directory } from "../people/directory.ts"
import type { Delegated, Overview } from "../../contract/desk-work.ts"
import type { ReadDecisions } from "../record/recorded-decisions.ts"
import type { Origin } from "../../platform/http/request-context.ts"
import { type Answer, Refused } from "../../platform/http/send.ts"
import { type ContextQuery, type ContextSources, findContext, type FoundContext } from "./find-context.ts"
import { Decisions } from "./decisions.ts"
import { Delegators } from "./delegators.ts"
import type { KnownApproval, KnownApprovalStore } from "./known-approval-store.ts"
import { KnownApprovals, toIso } from "./known-approvals.ts"
import { DoneWorkReads } from "../watcher/done-work-reads.ts"
import type { WorkPeople } from "../record/work-people.ts"
import type { Audience } from "../watcher/visible-work.ts"
import type { ReadUpstream } from "../watcher/read-plan.ts"
import { itemUnknown, itemUnread } from "../inbox/claim-refusals.ts"
import { AbsenceRequests } from "../inbox/absence-requests.ts"
import { ClaimRequests } from "../inbox/claim-requests.ts"
import { entryMembersOf } from "../inbox/entry-members.ts"
import { Claims, type ClaimableItem, type ClaimsSources } from "../inbox/claims.ts"
import type { ListedItem } from "../watcher/read-resources.ts"
import { itemsOf, type WatchedWork } from "../watcher/watched-work.ts"
import type { Session } from "../people/people-interface.ts"
import { Watcher } from "../watcher/watcher.ts"
import { answerOpenWork } from "./open-work-pages.ts"
import { answerOverview } from "./overview.ts"

const DAY_MS = 86_400_000

export type DeskQueriesSources = {
  readonly readUpstream: ReadUpstream
  /** Where known approvals are stored. Left out: they are forgotten at the end of the process. */
  readonly knownApprovals?: KnownApprovalStore | undefined
  /** A destination that was not seen for so many days is forgotten. Undefined: none is. */
  readonly knownDestinationsDays?: number | undefined
  /** Left out: there is no record. */
  readonly readDecisions?: ReadDecisions | undefined
  /** The id of the Work that a Work replaces. Left out: nothing is known about that. */
  readonly findInsteadOf?: ContextSources["findInsteadOf"] | undefined
  /** The names of those who decided. Left out: no names are shown. */
  readonly directory?: Directory | undefined
  /** Who created and decided what. Left out: everybody sees everything. */
  readonly people?: WorkPeople | undefined
  /** Called when the Works that people see may have changed. */
  readonly onVisibilityChange?: (watcher: Watcher) => void
  /** Left out: there is no presence, no assignment, and nothing is set aside. */
  readonly claims?: ClaimsOptions | undefined
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number
}

export type ClaimsOptions = Omit<ClaimsSources, "isWatched" | "changed"> & {
  readonly audienceOf: (session: Session) => Audience
}

/** How long a person's request waits for an item that the watcher has not read yet. */
const FIND_MS = 5_000

export class DeskQueries {
  readonly watcher: Watcher
  readonly claims: Claims | undefined
  readonly claimRequests: ClaimRequests | undefined
  readonly absenceRequests: AbsenceRequests | undefined
  readonly #context: ContextSources
  readonly #delegators: Delegators

  constructor(sources: DeskQueriesSources) {
    const { readUpstream, knownApprovals, knownDestinationsDays, people, claims: options, now } = sources
    const forgetAfterMs = knownDestinationsDays === undefined ? undefined : knownDestinationsDays * DAY_MS
    const approvals = new KnownApprovals(knownApprovals, forgetAfterMs)
    const done = new DoneWorkReads(approvals.doneWorks)
    const decisions = new Decisions(sources.readDecisions, sources.directory)
    const claims = options && this.#openClaims(options)
    this.claims = claims
    this.#delegators = new Delegators(people, sources.directory)
    this.absenceRequests = claims && new AbsenceRequests(claims)
    this.claimRequests = claims && this.#openClaimRequests(claims, options.audienceOf)
    this.watcher = new Watcher({
      readUpstream,
      now,
      people,
      members: claims && entryMembersOf(claims, (watched, item) => this.claimable(watched, item)),
      onVisibilityChange: () => sources.onVisibilityChange?.(this.watcher),
      done,
      onBegin: () => {
        // Until the load ends, the time to decide counts from the version that was read. The store has the time of the first version.
        inBackground(() => approvals.load().then(() => this.watcher.membersChanged("news")))
        inBackground(() => claims?.load())
      },
      onResolved: (workId, isResolved) => {
        claims?.store.end(workId, isResolved)
        options?.record.held.end(workId, isResolved)
      },
      onApprovals(workId, read, doneVersion) {
        approvals.apply(workId, read)
        if (doneVersion === undefined) return
        approvals.addDoneWork(workId, { version: doneVersion, facts: done.factsOf(workId) })
      },
    })
    this.#context = {
      readUpstream,
      watcher: this.watcher,
      done,
      approvals,
      decisions,
      findInsteadOf: sources.findInsteadOf ?? (() => Promise.resolve(undefined)),
    }
  }

  #openClaims(options: ClaimsOptions): Claims {
    return new Claims({
      ...options,
      isWatched: () => this.watcher.isWatched,
      changed: (change) => this.watcher.membersChanged(change),
    })
  }

  #openClaimRequests(claims: Claims, audienceOf: ClaimsOptions["audienceOf"]): ClaimRequests {
    return new ClaimRequests(claims, async (session, workId, itemId) => {
      const watched = await this.watcher.find(audienceOf(session), workId, itemId, FIND_MS)
      if (watched === "unread") throw new Refused(itemUnread)
      const item = watched === "absent" ? undefined : itemsOf(watched).find(({ id }) => id === itemId)
      if (watched === "absent" || item === undefined) throw new Refused(itemUnknown)
      // A rule may bar who created the Work, and the watcher may have read the Work before its creator was stored.
      await this.watcher.visibleWork.readPeople([workId])
      return this.claimable(watched, item)
    })
  }

  /** A pending item, as the claims look at it. */
  claimable(watched: WatchedWork, item: ListedItem): ClaimableItem {
    const known = Date.parse(this.#context.approvals.get(watched.work.id, item.id)?.createdAt ?? "")
    return {
      work: watched.work,
      item,
      facts: () => this.watcher.visibleWork.factsOf(watched),
      firstCreatedAt: Number.isNaN(known) ? item.createdAt : known,
    }
  }

  /** What the desk has read of an approval. Undefined: nothing. */
  knownApproval(
    workId: string,
    approvalId: string,
  ): Pick<KnownApproval, "status" | "colleague" | "createdAt"> | undefined {
    return this.#context.approvals.get(workId, approvalId)
  }

  /** A Work that the desk has read as done. Undefined for every other Work. */
  doneWork(workId: string): { readonly colleague: string; readonly createdAt: string } | undefined {
    const { watcher, done } = this.#context
    const facts = watcher.visibleWork.isDone(workId) ? done.factsOf(workId) : undefined
    const createdAt = done.created.get(workId)?.createdAt
    return facts && { colleague: facts.colleague, createdAt: toIso(createdAt) ?? "" }
  }

  /** What is read of done Work. */
  get done(): DoneWorkReads {
    return this.#context.done
  }

  /** Whether every done Work has been read, so that `doneWork` knows each. */
  get areDoneWorksListed(): boolean {
    return this.#context.done.isAllListed
  }

  /** Answers `GET /desk/context`: what a person should know before they decide about an approval. */
  context(query: ContextQuery, audience: Audience, origin: Origin): Promise<FoundContext> {
    return findContext(query, audience, this.#context, origin)
  }

  /** Answers `GET /desk/overview`. */
  overview(query: string, audience: Audience): Promise<Overview> {
    return answerOverview(query, audience, this.#context)
  }

  /** Answers `GET /desk/work`. */
  openWork(
    query: string,
    isFresh: boolean,
    audience: Audience,
    readNewIds: () => Promise<ReadonlySet<string>>,
  ): Promise<Answer> {
    return answerOpenWork(query, isFresh, audience, this.watcher, this.#delegators, readNewIds)
  }

  /** Who delegated these Works. The caller has checked that the person sees them. */
  async delegated(workIds: readonly string[]): Promise<Delegated> {
    await Promise.all([this.#delegators.readNames(), this.watcher.visibleWork.readPeople(workIds)])
    return this.#delegators.of(workIds)
  }

  /** Stops the watcher, and saves the known approvals. */
  async stop(): Promise<void> {
    this.claims?.stop()
    this.watcher.stop()
    await this.#context.approvals.save()
  }
}
