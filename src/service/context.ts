import type { IdempotencyRecords } from "./admission/idempotency.ts"
import type { Log } from "../contract/log.ts"
import type { LiveConfiguration } from "./configuration.ts"
import type { EventLog } from "./event-log.ts"
import type { Store } from "./store/store.ts"

/** The parts of the service that the handlers of all resources share. */
export type ServiceContext = {
  readonly store: Store
  readonly configuration: LiveConfiguration
  readonly events: EventLog
  readonly idempotency: IdempotencyRecords
  readonly log: Log
}
