/** What is unsent in the outbox, for the metrics and for `npm run notices -- list`. */
import type { Reader } from "../store/database.ts"
import type { Channel } from "./outbox.ts"

export type UnsentFigures = Readonly<Record<Channel, { readonly unsent: number; readonly oldestSeconds: number }>>

/** How much is unsent, for the metrics. @throws StoreUnavailableError */
export async function unsentFigures({ read }: Reader, now: number): Promise<UnsentFigures> {
  const rows = await read(
    "SELECT channel, COUNT(*) AS unsent, MIN(made_at) AS oldest FROM notice_delivery WHERE settled_at IS NULL GROUP BY channel",
  )
  const of = (channel: Channel) => {
    const row = rows.find((found) => found["channel"] === channel)
    if (row === undefined) return { unsent: 0, oldestSeconds: 0 }
    return { unsent: Number(row["unsent"]), oldestSeconds: Math.max(0, (now - Number(row["oldest"])) / 1_000) }
  }
  return { mail: of("mail"), webhook: of("webhook") }
}

/** A line for each unsent delivery, oldest first. @throws StoreUnavailableError */
export async function listUnsent({ read }: Reader): Promise<readonly string[]> {
  const rows = await read(
    `SELECT channel, recipient, made_at, attempts, answer FROM notice_delivery WHERE settled_at IS NULL ORDER BY sequence`,
  )
  return rows.map((row) => {
    const { channel, recipient, made_at, attempts, answer } = row
    const since = new Date(Number(made_at)).toISOString()
    const tried = `${String(attempts)} failed ${attempts === 1 ? "attempt" : "attempts"}`
    const to = channel === "mail" ? ` to ${String(recipient)}` : ""
    return `${String(channel)}${to}, unsent since ${since}, ${tried}, last answer: ${String(answer ?? "none")}`
  })
}
