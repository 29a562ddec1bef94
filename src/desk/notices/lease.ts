/** The lease `notices`: of all desks that share the store, the holder alone fills the outbox and sends. Moments are milliseconds since 1970. */
import type { Statements } from "../store/database.ts"

/** A desk that has not renewed its lease for this time has lost it. */
export const LEASE_MS = 30_000
const NAME = "notices"

/** Takes the lease when it is free, or renews it. @returns whether the desk holds it now @throws StoreUnavailableError */
export async function acquireLease({ write }: Statements, holder: string, now: number): Promise<boolean> {
  const taken = await write(
    `INSERT INTO lease (name, holder, expires_at) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
       WHERE lease.holder = excluded.holder OR lease.expires_at <= ?
     RETURNING holder`,
    NAME,
    holder,
    now + LEASE_MS,
    now,
  )
  return taken.length === 1
}

/** Whether the desk still holds the lease. Ask in the same transaction as the change that needs the lease. */
export async function holdsLease({ read }: Statements, holder: string, now: number): Promise<boolean> {
  const rows = await read(
    "SELECT holder FROM lease WHERE name = ? AND holder = ? AND expires_at > ?",
    NAME,
    holder,
    now,
  )
  return rows.length === 1
}

/** Gives the lease back, so that another desk need not wait until it expires. */
export async function releaseLease({ write }: Statements, holder: string): Promise<void> {
  await write("DELETE FROM lease WHERE name = ? AND holder = ?", NAME, holder)
}
