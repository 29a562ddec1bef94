/** Decides which look-alikes of an approval's destination a person is warned of. `look-alikes.ts` finds the candidates. */
import type { LookAlike } from "../../contract/desk-work.ts"
import type { Turns } from "../../platform/turns.ts"
import { type Destination, toDestinations } from "./destination.ts"
import type { KnownApproval } from "./known-approval-store.ts"
import { type KnownApprovals, type KnownDestination, sinceOf } from "./known-approvals.ts"

const LOOK_ALIKES_MAX = 5

/** What a person knows of a destination, from the approvals of the Works that the person sees. */
export type Standing = {
  readonly approved: number
  /** When the oldest approval was asked for, in milliseconds since 1970. */
  readonly since: number
}

/** For whom look-alikes are sought, in which turns. A concealed Work must not change the answer. */
export type Reader = {
  readonly known: KnownApprovals
  /** Whether the person sees a Work, open or done. */
  readonly sees: (workId: string) => boolean
  readonly turns: Turns
}

/** A destination of the approval that a person reads, and what the person knows of it. */
export type Asked = { readonly destination: Destination; readonly own: Standing }

/** Finds the look-alikes with more approvals than the destination, the most approved first. If neither has any, an older look-alike counts. */
export async function findLookAlikes(asked: readonly Asked[], reader: Reader): Promise<readonly LookAlike[]> {
  const found = new Map<string, LookAlike>()
  for (const { destination, own } of asked) {
    for (const { destinations, reason } of reader.known.lookAlikes.find(destination)) {
      // An address that was approved before gets no warning for a difference of one or two characters.
      if (own.approved > 0 && reason.kind === "distance") continue
      const best = await chooseOne(destinations, destination.name, own, reader)
      if (best === undefined || found.has(best.known.key)) continue
      found.set(best.known.key, { reason, destination: textOf(best), approved: best.approved, declined: best.declined })
    }
  }
  return [...found.values()]
    .sort((one, other) => other.approved - one.approved || other.declined - one.declined)
    .slice(0, LOOK_ALIKES_MAX)
}

/** A destination that a person may be warned of, and what the person knows of it. */
type Candidate = Standing & {
  readonly known: KnownDestination
  readonly declined: number
  /** The first approval to it that the person sees. */
  readonly first: KnownApproval
}

/** A destination as the person has seen it written. */
function textOf({ known, first }: Candidate): string {
  return toDestinations(first.destination).find(({ key }) => key === known.key)?.text ?? known.text
}

/** The destination to warn of: the one with the same `name` (the part before the @), or else the most approved, or the oldest. */
async function chooseOne(destinations: Iterable<KnownDestination>, name: string, own: Standing, reader: Reader) {
  const { sees, turns } = reader
  let best: Candidate | undefined
  // The loop is inline, because awaiting a function for each of a hundred thousand destinations would be slow.
  for (const known of destinations) {
    const hasName = name !== "" && known.name === name
    // `known` counts the approvals of all Works, concealed ones too. If even these totals cause no warning or don't beat `best`, the person's own
    // counts can't either.
    const canBeWarned = isWarned(known, own)
    const canBeatBest = best === undefined || hasName || isBefore(known, known.key, best)
    if (!canBeWarned || !canBeatBest) continue
    let [approved, declined, since] = [0, 0, Number.POSITIVE_INFINITY]
    let first: KnownApproval | undefined
    for (const approval of known.approvals.values()) {
      if (turns.isOver()) await turns.next()
      if (!sees(approval.workId)) continue
      first ??= approval
      if (approval.status === "approved") approved++
      if (approval.status === "declined") declined++
      since = Math.min(since, sinceOf(Date.parse(approval.createdAt)))
    }
    if (first === undefined || !isWarned({ approved, since }, own)) continue
    const candidate = { known, approved, declined, since, first }
    if (hasName) return candidate
    if (best === undefined || isBefore(candidate, known.key, best)) best = candidate
  }
  return best
}

/** Whether a person who knows this of a look-alike is warned of it. */
function isWarned({ approved, since }: Standing, own: Standing): boolean {
  return approved > own.approved || (approved === 0 && own.approved === 0 && since < own.since)
}

// The key comes last, so that the order in which the desk has read the destinations decides nothing: concealed Work changes it.
function isBefore(one: Standing, key: string, other: Candidate): boolean {
  if (one.approved !== other.approved) return one.approved > other.approved
  return one.since === other.since ? key < other.known.key : one.since < other.since
}
