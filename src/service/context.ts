/** The parts of the service that the handlers of all resources and the runs of colleagues share. */
import type { Log } from "../platform/log.ts"
import type { LiveConfiguration } from "./configuration.ts"
import type { EventLog } from "./event-log.ts"
import type { Store } from "./store/store.ts"
import type { WorkState } from "./work-state.ts"

export type ServiceContext = {
  readonly store: Store
  readonly configuration: LiveConfiguration
  readonly events: EventLog
  readonly state: WorkState
  readonly log: Log
}
