import { randomBytes } from "node:crypto"
import type { IdempotencyRecords } from "./admission/idempotency.ts"
import type { Log } from "../contract/log.ts"
import type { LiveConfiguration } from "./configuration.ts"
import type { EventLog } from "./event-log.ts"
import type { Store } from "./store/store.ts"

/** The parts of the service that every resource needs. */
export type ServiceContext = {
  readonly store: Store
  readonly configuration: LiveConfiguration
  readonly events: EventLog
  readonly idempotency: IdempotencyRecords
  readonly log: Log
}

/** Makes an identifier that nobody guesses: `work_3f9c…`. */
export function newId(kind: "work" | "upload" | "attention" | "approval" | "action" | "artifact" | "step"): string {
  return `${kind}_${randomBytes(12).toString("hex")}`
}
