/** What the desk answers below `/desk` about people, as types: the session, who is at which item, saved views, mail. Each `at` is ISO 8601. */
import type { OperationId } from "./resources.ts"

/** A set of operations that a person may use (`docs/operating.md`, "Roles and rules"). */
export type Role = "reader" | "answerer" | "delegator" | "approver"

/** Somebody who signed in. In local mode there is one person, whose `id` and `name` are `local`. */
export type Person = {
  /** Opaque and always the same for the same person. */
  readonly id: string
  readonly name: string
  /** Left out unless the provider has verified the address. */
  readonly email?: string
  readonly roles: readonly Role[]
  readonly operations: readonly OperationId[]
}

/** `GET /desk/session` */
export type DeskSession = SignedIn | SignedOut

export type SignedIn = {
  readonly mode: "local" | "sign-in"
  readonly person: Person
  /** `embedded`, or the upstream's host name. */
  readonly upstream: string
  readonly colleagues: readonly { readonly id: string; readonly label: string; readonly does?: string }[]
  readonly version: string
  /** A hash of the app's files that this desk serves. Left out where Vite serves the app's sources. */
  readonly build?: string
  /** Whom to ask for a role. Null when `ACCESS_FILE` names nobody, and in local mode. */
  readonly contact: string | null
  /** What a person without any role sends to the operator. Left out for everybody else. */
  readonly role_request?: string
  /** ISO 8601. Null in local mode, because its session has no end. */
  readonly ends_at: string | null
  /** Whether this desk sends mail to people (`GET /desk/notices`). Left out when it does not. */
  readonly sends_mail?: true
  /** The names of this person's teams (`ACCESS_FILE`, `visibility`). Empty without teams, and in local mode. */
  readonly teams: readonly string[]
  /** Whether the access file names people who see all Work. */
  readonly has_overseers: boolean
  /** Whether this person is an overseer. Left out when not, and in local mode, whose one person is. */
  readonly is_overseer?: true
}

export type SignedOut = { readonly mode: "sign-in"; readonly person: null; readonly version: string }

/** `POST /desk/sign-out` */
export type SignOutAnswer = {
  /** Where the browser goes next: the provider's end-session address, if the provider has one. */
  readonly location: string | null
}

/** A person as others see them. */
export type NamedPerson = { readonly id: string; readonly name: string }

/** A person is away until this moment (ISO 8601). Null: nobody stands in who may decide the item. */
export type PresentAbsence = { readonly until: string; readonly stand_in: NamedPerson | null }

/** A person to whom an item is given or may be handed. `away` is left out when the person is not away. */
export type AssignedPerson = NamedPerson & { readonly away?: PresentAbsence }

/**
 * `GET` and `PUT /desk/away`, with an ETag and `If-Match`: when a person is away (ISO 8601), and the id of the person who stands in. Null: the
 * person is not away, and has not said that they will be.
 */
export type Absence = { readonly from: string; readonly until: string; readonly stand_in: string | null }

/** How long a person can be away at most, in milliseconds. */
export const ABSENCE_MAX_MS = 90 * 86_400_000

/** A person who looks at an item now. `writing`: the person changed an answer or a comment within the last minute. */
export type LookingPerson = NamedPerson & { readonly doing: "reading" | "writing" }

/** To whom an item was given. */
export type Assignee = { readonly person: AssignedPerson } | { readonly team: string }

/** To whom an item was given. An assignment is advice: everybody who may decide the item may still decide it. */
export type Assignment = {
  readonly to: Assignee
  readonly by: NamedPerson
  readonly at: string
  readonly note?: string
  /** For `If-Match` of `PUT /desk/assignment`. */
  readonly etag: string
}

/** The person has set an item aside until this moment (ISO 8601). */
export type Aside = { readonly until: string }

type ItemIds = { readonly work: string; readonly item: string }

/** `POST /desk/presence`: a tab shows an item. `tab` is a random id. */
export type PresenceReport = ItemIds & { readonly tab: string; readonly doing: "reading" | "writing" | "left" }

/** `PUT /desk/assignment`, with `If-Match`: gives an item to a person or a team, or (null) to nobody. */
export type AssignmentChange = ItemIds & {
  readonly to: { readonly person: string } | { readonly team: string } | null
  readonly note?: string
}

/** The length of the note of an assignment, in Unicode code points. */
export const NOTE_MAX_CHARACTERS = 280

/** The answer to `PUT /desk/assignment`, with the ETag in its header. Null: the item is given to nobody. */
export type AssignmentAnswer = { readonly assignment: Assignment | null }

/** `GET /desk/people?work=&item=`: to whom a person may hand an item. Without a query: who can stand in for somebody, and no team. */
export type Assignees = { readonly people: readonly AssignedPerson[]; readonly teams: readonly string[] }

/** `PUT /desk/aside`: sets an item aside for the person alone until a moment (ISO 8601), or (null) brings it back. `version` is decimal digits. */
export type AsideChange = ItemIds & { readonly version: string; readonly until: string | null }

/** For how long an item can be set aside, in milliseconds: 4 hours where its Work is urgent, else 7 days. */
export const longestAsideMs = (isUrgent: boolean): number => (isUrgent ? 4 : 7 * 24) * 3_600_000

/**
 * A saved view: a name, and the query of an address of `/work`. The query of an address of an inbox page begins with `page=approvals` or
 * `page=needs-you`. `GET` and `PUT /desk/views`.
 */
export type SavedView = { readonly name: string; readonly query: string }
export type SavedViews = { readonly views: readonly SavedView[] }

/** The length of a view's name, in UTF-16 code units. */
export const VIEW_NAME_MAX = 100

/**
 * When a person gets mail about their pending items (`docs/notices.md`). `PUT /desk/notices` takes these members and ignores others. As of every
 * choice, its `If-Match` is the member `etag` of the answer: a front that compresses JSON rewrites the header.
 */
export type NoticeChoice = {
  /** `hourly` leaves at the full hour, `daily` at 8:00, both in the person's time zone. */
  readonly mail: "at-once" | "hourly" | "daily" | "off"
  /** Whether mail about urgent Work leaves at once with every value of `mail` but `off`. */
  readonly urgent_at_once: boolean
  /** `HH:MM` in the person's time zone. Both are null, or both are set and differ. A mail that is due in between leaves at `quiet_until`. */
  readonly quiet_from: string | null
  readonly quiet_until: string | null
  /** The name of a time zone, such as Europe/Berlin. `UTC` until the person's browser has sent the name. */
  readonly time_zone: string
  /** What the person is notified of about their own Work: its end, every step, or nothing. A `PUT` without it keeps the value. */
  readonly own_work: "end" | "steps" | "off"
  /** Whether pending items are pushed to the person's devices. Becomes true with the first device. A `PUT` without it changes nothing of it, and an older desk does not have it. */
  readonly push?: boolean
}

/** A device that a person's browser has registered for push. */
export type PushDevice = {
  readonly id: string
  /** Such as `Firefox on Linux`, as the browser's page named it. */
  readonly label: string
  readonly since: string
}

/**
 * `GET /desk/push`, which is 404 where the desk has no push. `key` is the desk's public key (RFC 8292) in base64url. `POST` with `{ "endpoint",
 * "keys": { "p256dh", "auth" }, "label" }` answers the device: 201, or 200 for an endpoint that the person had. 409: ten devices are there.
 */
export type PushSettings = { readonly key: string; readonly devices: readonly PushDevice[] }

/** The result of the last mail to a person. */
export type LastDelivery = {
  readonly at: string
  /**
   * `delivered`: the mail server took the mail. `refused`: the server refused the address. `stopped`: the server refused the address three
   * times in a row, so the desk sends nothing until the next sign-in. `failed`: the server could not be reached or refused the mail, and the
   * desk tries again.
   */
  readonly state: "delivered" | "refused" | "stopped" | "failed"
}

/** `GET /desk/notices`, with an ETag. Null: no mail was sent to this person yet. */
export type NoticeSettings = NoticeChoice & { readonly last_delivery: LastDelivery | null }

/**
 * `POST /desk/notices/test` without a body sends one mail to the person and answers its result (200). 409 `PROXY_NOTICES_NO_MAIL`: the
 * desk sends no mail, or not to this person; its `detail` says why. 429: another test within ten seconds.
 */
export type NoticeTest = LastDelivery
