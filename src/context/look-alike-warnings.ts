/** Decides which look-alikes of an approval's destination a person is warned of. `look-alikes.ts` finds the candidates. */
import type { LookAlike } from "../contract/desk-work.ts"
import type { Turns } from "../platform/turns.ts"
import { type Destination, readDestination } from "./destination.ts"
import type { KnownApprovals } from "./known-approvals.ts"

const LOOK_ALIKES_MAX = 5

/** What a person knows of a destination, from the approvals of the Works that the person sees. */
export type Standing = {
  readonly approved: number
  /** When the oldest approval was asked for, in milliseconds since 1970. */
  readonly since: number
}

/** Since when an approval makes a destination known. A time that is no date (NaN) counts as the newest. */
export const sinceOf = (createdAt: number) => (Number.isNaN(createdAt) ? Number.POSITIVE_INFINITY : createdAt)

/** For whom look-alikes are sought, in which turns. A concealed Work must not change the answer. */
export type Reader = {
  readonly known: KnownApprovals
  /** Whether the person sees a Work, open or done. */
  readonly sees: (workId: string) => boolean
  readonly turns: Turns
}

/**
 * Finds the look-alikes that were approved more often than `text`, the most approved first. Where neither was ever approved, an older look-alike
 * counts. `own` is what the person knows of `text`.
 */
export async function findLookAlikes(text: string, own: Standing, reader: Reader): Promise<readonly LookAlike[]> {
  const asked = readDestination(text)
  const found = new Map<string, LookAlike>()
  for (const { destinations, reason } of reader.known.lookAlikes.find(asked)) {
    // An address that was approved before gets no warning for a difference of one or two characters.
    if (own.approved > 0 && reason.kind === "distance") continue
    const best = await chooseOne(destinations, asked.name, own, reader)
    if (best === undefined || found.has(best.key)) continue
    found.set(best.key, { reason, destination: best.text, approved: best.approved, declined: best.declined })
  }
  return [...found.values()]
    .sort((one, other) => other.approved - one.approved || other.declined - one.declined)
    .slice(0, LOOK_ALIKES_MAX)
}

/** A destination that a person may be warned of. */
type Candidate = Standing & { readonly key: string; readonly text: string; readonly declined: number }

/**
 * Of several destinations, such as all at one host, the one to warn of: the one with the same `name` (the part before the @), or else the most
 * approved, or the oldest.
 */
async function chooseOne(destinations: Iterable<Destination>, name: string, own: Standing, reader: Reader) {
  let best: Candidate | undefined
  for (const destination of destinations) {
    const candidate = await candidateOf(destination.key, own, reader)
    if (candidate === undefined) continue
    if (name !== "" && destination.name === name) return candidate
    if (best === undefined || isBefore(candidate, best)) best = candidate
  }
  return best
}

// The key comes last, so that the order in which the desk has read the destinations decides nothing: concealed Work changes it.
function isBefore(one: Candidate, other: Candidate): boolean {
  if (one.approved !== other.approved) return one.approved > other.approved
  return one.since === other.since ? one.key < other.key : one.since < other.since
}

/** What the person knows of a destination, with the text that they have seen. Undefined where it gives no reason for a warning. */
async function candidateOf(key: string, own: Standing, { known, sees, turns }: Reader): Promise<Candidate | undefined> {
  let text: string | undefined
  let [approved, declined, since] = [0, 0, Number.POSITIVE_INFINITY]
  for (const approval of known.withKey(key)) {
    if (turns.isOver()) await turns.next()
    if (!sees(approval.workId)) continue
    text ??= readDestination(approval.destination).text
    if (approval.status === "approved") approved++
    if (approval.status === "declined") declined++
    since = Math.min(since, sinceOf(Date.parse(approval.createdAt)))
  }
  const isWarned = approved > own.approved || (approved === 0 && own.approved === 0 && since < own.since)
  return text !== undefined && isWarned ? { key, text, approved, declined, since } : undefined
}
