/** What is unsent in the outbox, for the metrics and for `npm run notices -- list`. */
import { countOf } from "../../contract/plural.ts"
import type { Reader } from "../store/database.ts"
import { CHANNELS } from "./channels.ts"

/** By the name of the channel. */
export type UnsentFigures = Readonly<Record<string, { readonly unsent: number; readonly oldestSeconds: number }>>

export const NOTHING_UNSENT: UnsentFigures = Object.fromEntries(
  CHANNELS.map(({ name }) => [name, { unsent: 0, oldestSeconds: 0 }]),
)

/** How much is unsent, for the metrics. @throws StoreUnavailableError */
export async function unsentFigures({ read }: Reader, now: number): Promise<UnsentFigures> {
  const rows = await read(
    "SELECT channel, COUNT(*) AS unsent, MIN(made_at) AS oldest FROM notice_delivery WHERE settled_at IS NULL GROUP BY channel",
  )
  const found = rows.map(({ channel, unsent, oldest }) => {
    const oldestSeconds = Math.max(0, (now - Number(oldest)) / 1_000)
    return [String(channel), { unsent: Number(unsent), oldestSeconds }] as const
  })
  return { ...NOTHING_UNSENT, ...Object.fromEntries(found) }
}

/** A line for each unsent delivery, oldest first. @throws StoreUnavailableError */
export async function listUnsent({ read }: Reader): Promise<readonly string[]> {
  const rows = await read(
    `SELECT channel, recipient, made_at, attempts, answer FROM notice_delivery WHERE settled_at IS NULL ORDER BY sequence`,
  )
  return rows.map(({ channel, recipient, made_at, attempts, answer }) => {
    const since = new Date(Number(made_at)).toISOString()
    const tried = countOf(Number(attempts), "failed attempt")
    // A channel without recipients of its own sends everything to its own name.
    const to = recipient === channel ? "" : ` to ${String(recipient)}`
    return `${String(channel)}${to}, unsent since ${since}, ${tried}, last answer: ${String(answer ?? "none")}`
  })
}
