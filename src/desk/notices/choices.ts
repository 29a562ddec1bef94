/** A person's choice of mail: `GET` and `PUT /desk/notices`, and the link of a mail that switches mail off. */
import { isDeepStrictEqual } from "node:util"
import * as v from "valibot"
import type { NoticeChoice, NoticeSettings } from "../../contract/desk-people.ts"
import { refusal } from "../../platform/http/refusals.ts"
import { Refused } from "../../platform/http/send.ts"
import { needsChange, type Tagged } from "../../platform/http/tagged.ts"
import { isZone } from "../insight/days.ts"
import type { Reader, Statements } from "../store/database.ts"
import { optional, select, upsert } from "../store/tables.ts"
import { FIRST_NOTICE } from "./due-notices.ts"
import { readLastMail } from "./last-mail.ts"

/** The settings of a person who has chosen nothing. */
const DEFAULT_CHOICE: NoticeChoice = {
  mail: "hourly",
  urgent_at_once: true,
  quiet_from: null,
  quiet_until: null,
  time_zone: "UTC",
  own_work: "end",
  push: false,
}

/** A choice, how often it was changed, and moments of its changes (milliseconds since 1970; 0: never). */
export type StoredChoice = {
  readonly choice: NoticeChoice
  readonly revision: number
  /** When the person last chose a mail again after `off`. */
  readonly chosenAgainAt: number
  /** When push was last switched on. What was there before is not pushed. */
  readonly pushFrom: number
}

const NOTHING_CHOSEN: StoredChoice = { choice: DEFAULT_CHOICE, revision: 0, chosenAgainAt: 0, pushFrom: 0 }

const mail = v.picklist(["at-once", "hourly", "daily", "off"])
const ownWork = v.picklist(["end", "steps", "off"])
const timeOfDay = v.nullable(v.pipe(v.string(), v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/)))

const choiceBody = v.pipe(
  v.string(),
  v.parseJson(),
  // Other members are ignored, so that a client can send back the answer to its GET.
  v.object({
    mail,
    urgent_at_once: v.boolean(),
    quiet_from: timeOfDay,
    quiet_until: timeOfDay,
    time_zone: v.pipe(v.string(), v.maxLength(100), v.check(isZone)),
    // An older app does not know this member.
    own_work: v.optional(ownWork),
    // An older app does not know the member, and changes nothing of it.
    push: v.exactOptional(v.boolean()),
  }),
  v.check(({ quiet_from: from, quiet_until: until }) => (from === null) === (until === null)),
  v.check(({ quiet_from: from, quiet_until: until }) => from === null || from !== until),
)

const choiceInvalid = refusal(
  400,
  "PROXY_NOTICES_INVALID",
  'The body must be {"mail": "at-once", "hourly", "daily" or "off", "urgent_at_once": true or false, "quiet_from" and "quiet_until": two different times as HH:MM, or both null, "time_zone": a name such as Europe/Berlin, and optionally "own_work": "end", "steps" or "off", "push": true or false}.',
)

const CHANGE_REFUSALS = {
  missing: refusal(
    428,
    "PROXY_NOTICES_REVISION_MISSING",
    "If-Match is missing. Set it to the ETag of the settings that you read.",
  ),
  stale: refusal(
    412,
    "PROXY_NOTICES_REVISION_STALE",
    "These settings have changed, perhaps in another tab or through the link of a notice. Read them again.",
    { title: "The settings have changed" },
  ),
}

const etagOf = (revision: number) => `"${revision}"`

/** The person's settings for `GET /desk/notices`. @throws StoreUnavailableError */
export async function readSettings(store: Reader, personId: string): Promise<Tagged<NoticeSettings>> {
  const { choice, revision } = await readChoice(store, personId)
  const last_delivery = await readLastMail(store, personId)
  return { document: { ...choice, last_delivery }, etag: etagOf(revision) }
}

/** Stores what `PUT /desk/notices` asks for. The first mail after `off` has everything pending. @throws Refused @throws StoreUnavailableError */
export async function saveChoice(
  statements: Statements,
  personId: string,
  ifMatch: string | undefined,
  body: Buffer,
): Promise<Tagged<NoticeSettings>> {
  const read = v.safeParse(choiceBody, body.toString("utf8"))
  if (!read.success) throw new Refused(choiceInvalid)
  const before = await readChoice(statements, personId)
  const { own_work = before.choice.own_work, ...chosen } = read.output
  const choice = { ...before.choice, ...chosen, own_work }
  // With revision 0 nothing is stored, so a choice that equals the default is stored, too.
  const isApplied = before.revision > 0 && isDeepStrictEqual(choice, before.choice)
  if (needsChange(ifMatch, { etag: etagOf(before.revision), isApplied }, CHANGE_REFUSALS)) {
    await store(statements, personId, before, choice)
  }
  return readSettings(statements, personId)
}

/** Sets `mail` to `off`, as a link in a mail asks. */
export async function switchOff(statements: Statements, personId: string): Promise<void> {
  const before = await readChoice(statements, personId)
  if (before.choice.mail !== "off") await store(statements, personId, before, { ...before.choice, mail: "off" })
}

/** Where push is on without a device: only what comes after `now` is pushed. */
export async function startPushAt(statements: Statements, personId: string, now: number): Promise<void> {
  const before = await readChoice(statements, personId)
  if (before.choice.push === true) await store(statements, personId, before, before.choice, now)
}

/** Switches push on with the only device. */
export async function switchPushOn(statements: Statements, personId: string): Promise<void> {
  const before = await readChoice(statements, personId)
  if (before.choice.push !== true) await store(statements, personId, before, { ...before.choice, push: true })
}

async function store(
  statements: Statements,
  personId: string,
  before: StoredChoice,
  choice: NoticeChoice,
  pushFrom = choice.push === true && before.choice.push !== true ? Date.now() : before.pushFrom,
): Promise<void> {
  const isChosenAgain = before.choice.mail === "off" && choice.mail !== "off"
  // The members of a choice are named as their columns.
  const row = {
    ...choice,
    urgent_at_once: choice.urgent_at_once ? 1 : 0,
    push: choice.push === true ? 1 : 0,
    pushFrom,
    personId,
    revision: before.revision + 1,
    chosenAgainAt: isChosenAgain ? Date.now() : before.chosenAgainAt,
  }
  await upsert(statements, "notice_choice", { key: ["personId"] }, row)
  if (isChosenAgain) {
    const sql = "DELETE FROM notice WHERE channel = 'mail' AND recipient = ? AND step = ?"
    await statements.write(sql, personId, FIRST_NOTICE)
  }
}

/** Reads a row of `notice_choice`. After a LEFT JOIN all members are NULL for a person who has chosen nothing. */
export const choiceMembers = {
  revision: optional(v.number()),
  mail: optional(mail),
  urgentAtOnce: optional(v.number()),
  quietFrom: v.nullable(v.string()),
  quietUntil: v.nullable(v.string()),
  timeZone: optional(v.string()),
  ownWork: optional(ownWork),
  chosenAgainAt: optional(v.number()),
  push: optional(v.number()),
  pushFrom: optional(v.number()),
}

const choiceRow = v.object(choiceMembers)

async function readChoice(store: Reader, personId: string): Promise<StoredChoice> {
  const [row] = await select(store, choiceRow, "SELECT * FROM notice_choice WHERE person_id = ?", personId)
  return row === undefined ? NOTHING_CHOSEN : toChoice(row)
}

/** The choice of a row, or the settings of a person who has chosen nothing. */
export function toChoice(row: v.InferOutput<typeof choiceRow>): StoredChoice {
  const {
    revision,
    mail: chosen,
    urgentAtOnce,
    quietFrom,
    quietUntil,
    timeZone = "",
    chosenAgainAt = 0,
    ownWork: own_work = DEFAULT_CHOICE.own_work,
    push,
    pushFrom = 0,
  } = row
  if (revision === undefined || chosen === undefined) return NOTHING_CHOSEN
  const choice = {
    mail: chosen,
    urgent_at_once: urgentAtOnce === 1,
    quiet_from: quietFrom,
    quiet_until: quietUntil,
    // The Node that stored the choice may have known a zone that this Node does not know.
    time_zone: isZone(timeZone) ? timeZone : DEFAULT_CHOICE.time_zone,
    own_work,
    push: push === 1,
  }
  return { choice, revision, chosenAgainAt, pushFrom }
}
