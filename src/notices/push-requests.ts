/** What the page `/notices` asks about the devices of a person. Each may throw StoreUnavailableError. */
import type { LastDelivery, PushDevice, PushSettings } from "../contract/desk-people.ts"
import type { DeviceOwner } from "./push-devices.ts"

/** `isNew`: the person did not have the endpoint before. */
export type SavedDevice = { readonly device: PushDevice; readonly isNew: boolean }

export type PushRequests = {
  readonly settings: (personId: string) => Promise<PushSettings>
  /** @throws Refused */
  readonly add: (owner: DeviceOwner, body: Buffer) => Promise<SavedDevice>
  /** @throws Refused */
  readonly remove: (personId: string, id: string) => Promise<void>
  /** @throws Refused */
  readonly test: (personId: string, id: string) => Promise<LastDelivery>
}
