/** What the desk answers below `/desk` about Work, as types: what is pending, the record, the overview, the context of a decision. Times are ISO 8601. */
import type { Aside, Assignment, LookingPerson, NamedPerson, Role } from "./desk-people.ts"
import type { Approval, Attention, OperationId, Problem, Work, WorkStatus } from "./resources.ts"

/** Why a person sees a Work: the first of `creator`, `team`, `organization`, `approver`, `overseer` that is true (`docs/operating.md`). */
export type VisibilityReason = "creator" | "team" | "organization" | "approver" | "overseer"

/** `GET /desk/work/{id}/reason`. A Work that the person does not see is 404, as an unknown Work is. */
export type WorkReason = { readonly reason: VisibilityReason }

/**
 * `GET /desk/work/{id}/related`: the Work that this one replaces, and the Works that replace this one, oldest first.
 * Concealed Work is left out. An unknown Work, or one that the person does not see, is 404.
 */
export type RelatedWork = { readonly instead_of?: string; readonly replaced_by?: readonly string[] }

/** `GET /desk/work/{id}/inputs`: the uploads with which the Work was created at this desk. Left out when the desk does not know them. */
export type WorkInputs = { readonly inputs?: readonly { readonly upload: string; readonly name?: string }[] }

/**
 * One pending item, with the Work that the item belongs to. Both are as the upstream sent them, but long texts of the Work are cut. The desk adds the other members for the
 * person who asks.
 */
export type WaitingItem<Item extends Attention | Approval> = {
  /** `unread`: the service's Work doesn't match openapi.yaml, and most members here stand in for what cannot be read. */
  readonly work: Work & { readonly unread?: true }
  /** Of an item that is too long to read, only the members of `TooLargeItem` are here. */
  readonly item: Item
  /** The other persons who look at the item. Left out when there are none. */
  readonly people?: readonly LookingPerson[]
  /** Left out when the item was given to nobody: then its ETag is `"none"`. */
  readonly assignment?: Assignment
  readonly aside?: Aside
  /** The item was set aside, came back, and the person has not opened it yet. */
  readonly back?: true
  /** By when a rule wants the approval to be decided. */
  readonly decide_by?: string
  /** The person may answer or approve the item now. Left out otherwise (`docs/team.md`, "Who an item needs"). */
  readonly needs_you?: true
}

/** An item with more than 1 MiB of text. It can be declined, and not approved or answered at this desk. */
export type TooLargeItem = Pick<Approval, "id" | "work_id" | "version" | "created_at"> & { readonly too_large: true }

/** The approves of one approval that the desk keeps until the last one that is needed. */
export type ApprovalsGiven = {
  /** How many persons must approve: 2 to 5. */
  readonly needed: number
  /** The approves that count now, oldest first. */
  readonly given: readonly { readonly person: NamedPerson; readonly at: string }[]
}

/** The answer with status 202 to an approve that the desk keeps, because more approvals are needed. */
export type ApproveHeld = ApprovalsGiven

/** A pending approval. `approvals` is left out when no rule asks for more than one approval. */
export type WaitingApproval = WaitingItem<Approval> & {
  readonly approvals?: ApprovalsGiven & {
    /** Who approved an earlier version of the approval, with that version in decimal digits. These approves do not count. */
    readonly earlier: readonly { readonly person: NamedPerson; readonly version: string }[]
  }
}

/** The longest `wait` of `GET /desk/waiting`: for so many seconds the desk holds a request until something changes. */
export const WAIT_MAX_SECONDS = 25

/** `GET /desk/waiting`: what is pending across all open Work. Both lists are oldest first by the item's `created_at`. */
export type Waiting = {
  readonly attention: readonly WaitingItem<Attention>[]
  readonly approvals: readonly WaitingApproval[]
  /** How many open Works have been checked at least once. */
  readonly checked: number
  /** How many open Works there are, as far as the list was read. */
  readonly total: number
  /** Null before the first check. */
  readonly oldest_check_at: string | null
  /** Every open Work was checked at least once, and the list was read to its end. */
  readonly complete: boolean
  /** How many open Works and waiting items the service lists that cannot be read. Left out when there are none, or when the person may not know of them. */
  readonly unread?: number
  /** Why the upstream refuses requests or cannot be reached. Left out while the upstream answers. */
  readonly problem?: Problem
  /** With a problem: when the desk asks the upstream again. Left out when the desk does not pause. */
  readonly retry_at?: string
  /** What is frozen now. Left out when nothing is. */
  readonly freezes?: readonly Freeze[]
  /** How many entries of each list have `needs_you`. An older desk leaves the member out. */
  readonly needs_you?: { readonly attention: number; readonly approvals: number }
}

/** While it lasts, the desk sends no approve and no new Work to the service: for one colleague, or (null) for everybody. */
export type Freeze = {
  readonly colleague: string | null
  /** `operator`: whoever ran the command on the desk's machine. */
  readonly by: NamedPerson | "operator"
  readonly since: string
  readonly reason: string
}

/** `GET /desk/freeze`. */
export type Freezes = { readonly freezes: readonly Freeze[] }

/** The answer to `PUT /desk/freeze`. */
export type FreezeAnswer = Freezes & {
  /** The colleague is frozen, but no known Work has this colleague, so the id may be mistyped. Left out otherwise. */
  readonly unknown_colleague?: true
}

/** `PUT /desk/freeze`: freezes, or replaces the reason of what is frozen already. `reason` has 1 to FREEZE_REASON_MAX characters. */
export type FreezeChange = Pick<Freeze, "colleague" | "reason">

export const FREEZE_REASON_MAX = 280

/** `held`: an approve that the desk keeps until the last one that is needed. The service does not know of it. */
export type RecordOutcome = "recorded" | "refused" | "unknown" | "held"

/** What the record has entries of, and is filtered by: the mutations of the API, and what people do at the desk alone. */
export const RECORDED_OPERATIONS = [
  "createInputUpload",
  "retryInputUploadProcessing",
  "createWork",
  "resolveWorkAttention",
  "resolveWorkApproval",
  "withdrawApproval",
  "takeItem",
  "handItem",
  "giveBackItem",
  "freeze",
  "unfreeze",
  "setAway",
] as const
export type RecordedOperation = (typeof RECORDED_OPERATIONS)[number]

/** The operation of an entry. A row of an older desk may have another one of the API. */
export type RecordOperation = OperationId | RecordedOperation

/** The patterns of a rule. A pattern that is left out matches everything. */
export type RulePatterns = { readonly destination?: string; readonly colleague?: string }

/** One entry of the record: an intent with its outcome. Members that are not known are left out. */
export type RecordEntry = {
  readonly sequence: number
  readonly at: string
  readonly person: NamedPerson
  readonly roles: readonly Role[]
  readonly operation: RecordOperation
  readonly work_id?: string
  readonly item_id?: string
  readonly decision?: string
  /** Of a decline: the person asked for a change. */
  readonly wants_change?: true
  /** Of decisions that a person sent together: their common id. */
  readonly together?: string
  /** How many other items of `together` the person who asks can see. Left out when the desk couldn't find out. */
  readonly together_others?: number
  /** Of a decision: the rules that matched. Left out in rows of an older desk. */
  readonly rules?: readonly RulePatterns[]
  /** The policy's reason for an approval. */
  readonly reason?: string
  /** When the item was asked. */
  readonly asked_at?: string
  readonly version?: bigint
  readonly summary?: string
  /** Of `setAway`: who is away. The end of an absence has null for the three others. */
  readonly about?: NamedPerson
  readonly stand_in?: NamedPerson | null
  readonly from?: string | null
  readonly until?: string | null
  /** Left out for a freeze of the whole desk, and where the record doesn't have it. */
  readonly colleague?: string
  readonly destination?: string
  readonly subject?: string
  /** `sha256:` and hexadecimal. */
  readonly content_hash?: string
  readonly payload_hash?: string
  readonly body_hash?: string
  readonly request_id?: string
  readonly outcome: RecordOutcome
  readonly status?: number
  readonly replayed?: boolean
  /** The upstream's `resolution_actor` or `resolved_by`. */
  readonly service_actor?: string
  /** SHA-256 of the entry's last row, hexadecimal. */
  readonly hash?: string
}

/** `GET /desk/record` */
export type RecordPage = {
  readonly data: readonly RecordEntry[]
  /** False: entries are left out because the desk could not find out whether the person may see them. */
  readonly complete: boolean
  readonly next_cursor?: string
  /** The state of the chain, as the desk last checked it; on the first page. */
  readonly chain?: {
    readonly complete: boolean
    readonly rows: number
    readonly head: string
    /** The public half of the key that signs heads: its name, its id and its bytes, as C2SP's signed-note writes a verifier key. */
    readonly key?: string
  }
}

/** The most days that one `GET /desk/record/report` may have. */
export const REPORT_DAYS_MAX = 366

/** The operations that a report lists. */
export const REPORTED_OPERATIONS = [
  "resolveWorkApproval",
  "withdrawApproval",
  "resolveWorkAttention",
  "createWork",
  "freeze",
  "unfreeze",
  "setAway",
] as const satisfies readonly RecordedOperation[]

export const REPORT_FORMATS = ["csv", "html"] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

/** Who delegated Works at this desk, by the Work's id. */
export type Delegated = Readonly<Record<string, NamedPerson>>

/** The most Works that one `GET /desk/delegated` may name. */
export const DELEGATED_MAX = 100

/** `GET /desk/delegated?work=…&work=…`. Unknown Work, concealed Work and Work without a known delegator are left out. */
export type DelegatedWork = { readonly delegated: Delegated }

/** What happened in a Work since the person last saw it. */
export const NEWS_KINDS = [
  "done",
  "results",
  "paused",
  "declined",
  "approved",
  "answered",
  "asked",
  "approval",
  "changed",
] as const
export type NewsKind = (typeof NEWS_KINDS)[number]

/** A Work that concerns the person and is new to them. */
export type NewWorkEntry = {
  readonly work: string
  readonly title: string
  /** In the order of NEWS_KINDS. `changed` stands alone. */
  readonly what: readonly NewsKind[]
  /** Who decided or answered last. */
  readonly by?: NamedPerson
  /** How many results a done Work has. Left out without results, and until they were read. */
  readonly results?: number
  readonly at: string
}

/** The most entries of `GET /desk/seen`. */
export const NEW_WORK_MAX = 200

/** `GET /desk/seen`: the Work that is new to the person, newest first. */
export type NewWork = {
  readonly new: readonly NewWorkEntry[]
  readonly total: number
  /** Whether the desk has read all Work that the person sees. */
  readonly complete: boolean
  readonly etag: string
}

/** `POST /desk/seen`: a version of a Work that the person has seen, in digits, or everything that an answer to GET listed. */
export type SeenReport = { readonly work: string; readonly version: string } | { readonly all: string }

/** The length of a page of `GET /desk/work` that names no `limit`. */
export const OPEN_WORK_PAGE_ROWS = 100

/** `GET /desk/work`: open Work, filtered and sorted by the server. */
export type OpenWorkList = {
  readonly data: readonly Work[]
  readonly next_cursor?: string
  /** How many open Works match. */
  readonly total: number
  /** The ids of the colleagues that have open Work, sorted. */
  readonly colleagues: readonly string[]
  /** Who delegated the Works of `data` at this desk, by the Work's id. Unknown delegators are left out. Empty in local mode. */
  readonly delegated?: Delegated
  /** Everybody who delegated open Work that this person sees, by name. Left out in local mode. */
  readonly delegators?: readonly NamedPerson[]
  /** The groups in their order, each with the number of its Works that match. Left out without a grouping. */
  readonly groups?: readonly { readonly key: string; readonly count: number }[]
  /** How many open Works there are, matching or not. */
  readonly of: number
  /** Whether the watcher has listed all open Work. */
  readonly complete: boolean
  /** As in `Waiting`, without items. These Works have no row. */
  readonly unread?: number
}

/** One mark of the figure `What waits`. */
export type WaitingMark = {
  readonly kind: "attention" | "approval"
  readonly work_id: string
  readonly item_id: string
  readonly title: string
  readonly created_at: string
}

/** The overview shows this many days of what happened, and of Work that will be due. */
export const SHOWN_DAYS = 14
/** How many days before today the overview shows of Work that was due. */
export const OVERDUE_DAYS = 7

/** `GET /desk/overview` */
export type Overview = {
  /** Ages and due dates are counted from this moment. */
  readonly at: string
  readonly checked: number
  readonly total: number
  readonly complete: boolean
  /** The oldest of the open Works' last checks. Null before the first check. */
  readonly oldest_check_at: string | null
  /** Why the upstream refuses requests or cannot be reached. Then the figures are those of the last checks. */
  readonly problem?: Problem
  /** Whether all done Work of the last `SHOWN_DAYS` days has been listed, so that the numbers of `created` are whole. */
  readonly done_complete: boolean
  readonly waiting: readonly WaitingMark[]
  readonly due: {
    /** Open Works due in each of the days from `OVERDUE_DAYS` ago, over today, to `SHOWN_DAYS` ahead. */
    readonly days: readonly { readonly date: string; readonly count: number }[]
    /** Due before `at`. */
    readonly overdue: number
    /** Due before the first of `days`, after the last of them, and without a due date. */
    readonly earlier: number
    readonly later: number
    readonly none: number
  }
  readonly colleagues: readonly {
    readonly id: string
    readonly open: Readonly<Partial<Record<WorkStatus, number>>>
    /** Work created on each of the last `SHOWN_DAYS` days, and how many of them are done. */
    readonly created: readonly { readonly date: string; readonly count: number; readonly done: number }[]
  }[]
  /** Left out when the last `SHOWN_DAYS` days have fewer than five decisions. */
  readonly decisions?: {
    /** When the first decision of the record was made. */
    readonly since: string
    readonly days: readonly { readonly date: string; readonly approved: number; readonly declined: number }[]
    /** Seconds from an approval's creation to its decision. Left out when no creation time is known. */
    readonly median_seconds?: number
    readonly range_seconds?: readonly [number, number]
  }
}

/** A known destination that the approval's destination could be taken for. */
export type LookAlike = {
  readonly destination: string
  /** How many letters to the known destination were approved, and how many were declined. */
  readonly approved: number
  readonly declined: number
  /** Why the two look alike. */
  readonly reason:
    | { readonly kind: "characters"; readonly character: string; readonly script: string }
    | { readonly kind: "distance"; readonly edits: number }
    | { readonly kind: "domain"; readonly domain: string }
}

export type PastDecision = {
  readonly work_id: string
  readonly approval_id: string
  readonly status: string
  readonly at?: string
  /** The name of the person who decided, from the record. Left out when it was not decided at this desk. */
  readonly person?: string
}

/** Whether the rules let this person approve. `detail` says why not, and whom to ask. */
export type MayApprove =
  /**
   * `creator_unknown`: a rule prevents self-approval, and this desk does not know who created the Work.
   * `asks_for_sign_in`: a rule asks for a recent sign-in, and this person's is recent enough now.
   */
  | { readonly approve: true; readonly creator_unknown: boolean; readonly asks_for_sign_in?: true }
  | { readonly approve: false; readonly code: "PROXY_RULE" | "PROXY_SIGN_IN_AGAIN"; readonly detail: string }

/** `GET /desk/context?work=&approval=&version=`: what the region `Before you decide` shows. */
export type DecisionContext = {
  /** How many approvals this desk has read, and since when. */
  readonly known: { readonly approvals: number; readonly since: string | null; readonly complete: boolean }
  readonly destination: {
    /** Whether no other approval with this destination was decided, and no older approval with it waits. */
    readonly first: boolean
    readonly approved: number
    readonly declined: number
    readonly last_approved?: PastDecision
    readonly history: readonly PastDecision[]
  }
  readonly look_alikes: readonly LookAlike[]
  readonly first_of_colleague: boolean
  /** The other waiting approvals with the same destination, subject and body. */
  readonly same_elsewhere: readonly {
    readonly work_id: string
    readonly work_title: string
    readonly approval_id: string
  }[]
  /** The last declined approval of the Work that this Work replaces. Left out when there is none, or when that Work is concealed. */
  readonly declined_before?: { readonly work_id: string; readonly approval_id: string }
  /** For the person who asks. Left out in local mode, for a resolved approval, and while the record cannot be read. */
  readonly may?: MayApprove
}
