/** A person's choice of mail: `GET` and `PUT /desk/notices`, and the link of a mail that switches mail off. */
import * as v from "valibot"
import type { NoticeChoice, NoticeSettings } from "../contract/desk-people.ts"
import type { Refusal } from "../http/refusal.ts"
import { refusal } from "../http/refusals.ts"
import { isZone } from "../overview/days.ts"
import type { Reader, Row, Statements } from "../store/database.ts"
import { readDeliveryStates } from "./delivery-states.ts"

/** What holds for a person who has chosen nothing. */
export const DEFAULT_CHOICE: NoticeChoice = {
  mail: "hourly",
  urgent_at_once: true,
  quiet_from: null,
  quiet_until: null,
  time_zone: "UTC",
}

/** A choice, how often it was changed, and when the person last chose a mail again after `off` (milliseconds since 1970; 0: never). */
export type StoredChoice = { readonly choice: NoticeChoice; readonly revision: number; readonly chosenAgainAt: number }

const NOTHING_CHOSEN: StoredChoice = { choice: DEFAULT_CHOICE, revision: 0, chosenAgainAt: 0 }

const mail = v.picklist(["at-once", "hourly", "daily", "off"])
const timeOfDay = v.nullable(v.pipe(v.string(), v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/)))

const choiceBody = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictObject({
    mail,
    urgent_at_once: v.boolean(),
    quiet_from: timeOfDay,
    quiet_until: timeOfDay,
    time_zone: v.pipe(v.string(), v.maxLength(100), v.check(isZone)),
    // A client may send back the whole answer to its GET.
    last_delivery: v.optional(v.unknown()),
  }),
  v.check(({ quiet_from: from, quiet_until: until }) => (from === null) === (until === null)),
  v.check(({ quiet_from: from, quiet_until: until }) => from === null || from !== until),
  v.transform(({ last_delivery: _last, ...choice }): NoticeChoice => choice),
)

const choiceInvalid = refusal(
  400,
  "PROXY_NOTICES_INVALID",
  'The body must be {"mail": "at-once", "hourly", "daily" or "off", "urgent_at_once": true or false, "quiet_from" and "quiet_until": two different times as HH:MM, or both null, "time_zone": a name such as Europe/Berlin}.',
)

const revisionMissing = refusal(
  428,
  "PROXY_NOTICES_REVISION_MISSING",
  "The If-Match header is missing. It must be the ETag of the choice that was read.",
)

const revisionStale = refusal(
  412,
  "PROXY_NOTICES_REVISION_STALE",
  "This choice was changed in the meantime, perhaps in another tab or by a link in a mail. Read it again.",
  { title: "The choice has changed" },
)

const etagOf = (revision: number) => `"${revision}"`

export type SettingsAnswer = { readonly settings: NoticeSettings; readonly etag: string }

/** The person's settings for `GET /desk/notices`. @throws StoreUnavailableError */
export async function readSettings(store: Reader, personId: string): Promise<SettingsAnswer> {
  const { choice, revision } = (await readChoices(store, personId)).get(personId) ?? NOTHING_CHOSEN
  const last_delivery = (await readDeliveryStates(store, personId)).get(personId)?.last ?? null
  return { settings: { ...choice, last_delivery }, etag: etagOf(revision) }
}

/**
 * Stores what `PUT /desk/notices` asks for. A mail that is chosen again after `off` tells all that waits, also what the person was told before.
 * @throws StoreUnavailableError
 */
export async function saveChoice(
  statements: Statements,
  personId: string,
  ifMatch: string | undefined,
  body: Buffer,
): Promise<SettingsAnswer | Refusal> {
  if (ifMatch === undefined) return revisionMissing
  const read = v.safeParse(choiceBody, body.toString("utf8"))
  if (!read.success) return choiceInvalid
  const before = (await readChoices(statements, personId)).get(personId) ?? NOTHING_CHOSEN
  if (ifMatch.trim() !== etagOf(before.revision)) return revisionStale
  await store(statements, personId, before, read.output)
  return readSettings(statements, personId)
}

/** Sets `mail` to `off`, as a link in a mail asks. */
export async function switchOff(statements: Statements, personId: string): Promise<void> {
  const before = (await readChoices(statements, personId)).get(personId) ?? NOTHING_CHOSEN
  if (before.choice.mail !== "off") await store(statements, personId, before, { ...before.choice, mail: "off" })
}

async function store(
  { write }: Statements,
  personId: string,
  before: StoredChoice,
  { mail, urgent_at_once, quiet_from, quiet_until, time_zone }: NoticeChoice,
): Promise<void> {
  const isChosenAgain = before.choice.mail === "off" && mail !== "off"
  await write(
    `INSERT INTO notice_choice (person_id, revision, mail, urgent_at_once, quiet_from, quiet_until, time_zone, chosen_again_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (person_id) DO UPDATE SET revision = excluded.revision, mail = excluded.mail,
       urgent_at_once = excluded.urgent_at_once, quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until,
       time_zone = excluded.time_zone, chosen_again_at = excluded.chosen_again_at`,
    personId,
    before.revision + 1,
    mail,
    urgent_at_once ? 1 : 0,
    quiet_from,
    quiet_until,
    time_zone,
    isChosenAgain ? Date.now() : before.chosenAgainAt,
  )
  if (isChosenAgain) {
    await write("DELETE FROM notice WHERE channel = 'mail' AND recipient = ? AND step = 'told'", personId)
  }
}

const choiceRow = v.object({
  person_id: v.string(),
  revision: v.number(),
  mail,
  urgent_at_once: v.number(),
  quiet_from: v.nullable(v.string()),
  quiet_until: v.nullable(v.string()),
  time_zone: v.string(),
  chosen_again_at: v.nullable(v.number()),
})

/** The choices of everybody who has chosen something, or of one person. @throws StoreUnavailableError */
export async function readChoices({ read }: Reader, personId?: string): Promise<ReadonlyMap<string, StoredChoice>> {
  const all = "SELECT * FROM notice_choice"
  const rows = await (personId === undefined ? read(all) : read(`${all} WHERE person_id = ?`, personId))
  return new Map(rows.map((row) => toChoice(row)))
}

function toChoice(row: Row): [string, StoredChoice] {
  const { person_id, revision, urgent_at_once, chosen_again_at, ...rest } = v.parse(choiceRow, row)
  // The Node that stored the choice may have known a zone that this Node does not know.
  const time_zone = isZone(rest.time_zone) ? rest.time_zone : "UTC"
  const choice = { ...rest, urgent_at_once: urgent_at_once === 1, time_zone }
  return [person_id, { choice, revision, chosenAgainAt: chosen_again_at ?? 0 }]
}
