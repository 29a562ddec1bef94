/** Opens sign-in and the record, and connects them with the desk's log and metrics. */
import type { Log } from "../platform/log.ts"
import type { RereadFiles } from "../platform/reread-files.ts"
import { localPeople, openPeople } from "./people/open-people.ts"
import type { People } from "./people/people-interface.ts"
import { ConfigurationError } from "../platform/configuration-error.ts"
import { DeskRecord } from "./record/desk-record.ts"
import { HeadSigning } from "./record/heads/head-signing.ts"
import { openRecordKey } from "./record/heads/record-key.ts"
import { type Database, faultFields } from "./store/database.ts"
import type { DeskConfiguration } from "./http/desk-configuration.ts"
import type { Metrics } from "./http/metrics.ts"
import { CALLBACK_PATH } from "./http/routes/sign-in-routes.ts"

/** Opens sign-in, or local mode. @throws ConfigurationError when a file that the configuration names cannot be used */
export function startPeople(
  { people }: DeskConfiguration,
  database: Database,
  { log, files }: { readonly log: Log; readonly files: RereadFiles },
): People {
  if (people.mode === "local") return localPeople()
  const warn = (message: string) => log.warn({}, message)
  return openPeople({ configuration: people, database, callbackPath: CALLBACK_PATH, files, warn })
}

type Observers = { readonly log: Log; readonly metrics: Metrics | undefined }

/** Opens the record's key, and begins to sign heads of the record. @throws ConfigurationError when the key can't be used */
export async function startHeads(
  { place, origin }: DeskConfiguration["recordKey"],
  database: Database,
  { log, metrics }: Observers,
): Promise<HeadSigning> {
  await openRecordKey(database, place, origin)
  return new HeadSigning({
    database,
    place,
    origin,
    onSigned({ origin: signer, sequence, hash, note }) {
      metrics?.count("workdesk_record_heads_total")
      log.always({ origin: signer, sequence, hash, note }, "record head")
      // A process that is killed now has logged what it stores.
      log.flush()
    },
    onExpired: (unsent) => log.warn({ heads: unsent }, "heads of the record were removed unsent after 30 days"),
    onFailed(error) {
      const fields =
        error instanceof ConfigurationError ? { cause: "fault", failure: error.message } : faultFields(error)
      log.error(fields, "the record's head couldn't be signed")
    },
  })
}

/** Opens the record of who did what. */
export function startRecord(
  people: People,
  database: Database,
  { log, metrics }: Observers,
  heads?: HeadSigning,
): DeskRecord {
  let isFaultLogged = false
  return new DeskRecord({
    database,
    mode: people.mode,
    access: () => people.access(),
    checkSession: (transaction, session, operation) => people.checkStored(transaction, session, operation),
    onStored(rows, milliseconds) {
      if (milliseconds !== undefined) metrics?.countRecordRows(rows.length, milliseconds)
      // A copy of the log in another place is then a copy of the record, too.
      for (const row of rows) log.always(row, "record")
      heads?.onRows(rows)
    },
    onFailed: (error) => log.error(faultFields(error), "the record couldn't be written or read"),
    onChecked({ faults }) {
      if (metrics !== undefined) metrics.chainFaults = faults.length
      const [first] = faults
      if (first !== undefined && !isFaultLogged) {
        // The sentence has the number of a row, and nothing else of the row.
        log.error({ failure: first }, "the record's chain has a fault: run `npm run record -- verify`")
      }
      isFaultLogged = first !== undefined
    },
    onHead: ({ sequence, hash }) => log.info({ sequence, hash }, "the record's last row"),
  })
}
