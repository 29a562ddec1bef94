/** The devices of people: the subscriptions to push that their browsers made. */
import { randomUUID } from "node:crypto"
import * as v from "valibot"
import type { LastDelivery, PushDevice, PushSettings } from "../../../contract/desk-people.ts"
import { plural } from "../../../contract/plural.ts"
import { refusal, signedOut } from "../../../platform/http/refusals.ts"
import { Refused } from "../../../platform/http/send.ts"
import type { Database, Reader, Statements } from "../../store/database.ts"
import { insert, select } from "../../store/tables.ts"
import { startPushAt, switchPushOn } from "../choices.ts"
import { type DeviceKeys, readDeviceKeys } from "./push-encryption.ts"
import { readEndpoint } from "./push-configuration.ts"

/** A device with what a message to it needs. `endpoint` and `keys` are secrets: who has them can send to the device. */
export type Device = {
  readonly id: string
  readonly label: string
  readonly endpoint: URL
  readonly keys: DeviceKeys
  /** In milliseconds since 1970. */
  readonly since: number
}

/** Whose device it is: the person, the session, and the browser, which keeps a cookie of its own beyond the session. */
export type DeviceOwner = { readonly personId: string; readonly sessionId: string; readonly browserId: string }

/** What `POST /desk/push` stored. `isNew`: the person did not have the endpoint before. */
export type SavedDevice = { readonly device: PushDevice; readonly isNew: boolean }

/** What the page `/notices` asks about the devices of a person. Each may throw StoreUnavailableError. */
export type PushRequests = {
  readonly settings: (personId: string) => Promise<PushSettings>
  /** @throws Refused */
  readonly add: (owner: DeviceOwner, body: Buffer) => Promise<SavedDevice>
  /** @throws Refused */
  readonly remove: (personId: string, id: string) => Promise<void>
  /** @throws Refused */
  readonly test: (personId: string, id: string) => Promise<LastDelivery>
}

export const DEVICES_MAX = 10

const body = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    endpoint: v.string(),
    keys: v.object({ p256dh: v.string(), auth: v.string() }),
    label: v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1),
      v.maxLength(100),
      v.regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]*$/u),
    ),
  }),
)

const invalid = refusal(
  400,
  "PROXY_PUSH_INVALID",
  'The body must be {"endpoint": an https address at a push service that this desk allows, "keys": {"p256dh", "auth"}, "label": 1 to 100 characters}.',
)
const tooMany = refusal(409, "PROXY_PUSH_TOO_MANY", `You have ${plural(DEVICES_MAX, "device")}. Remove one first.`, {
  title: "You have too many devices",
})
const unknown = refusal(404, "PROXY_NOT_FOUND", "You have no such device.", { title: "No such device" })

const row = v.object({
  id: v.string(),
  label: v.string(),
  endpoint: v.string(),
  p256dh: v.string(),
  auth: v.string(),
  since: v.number(),
})

const COLUMNS = "id, label, endpoint, p256dh, auth, since"

/** The devices of a person, oldest first, without those whose host is no longer in `hosts`. @throws StoreUnavailableError */
export async function readDevices(reader: Reader, personId: string, hosts: readonly string[]): Promise<Device[]> {
  const sql = `SELECT ${COLUMNS} FROM push_device WHERE person_id = ? ORDER BY since, id`
  const rows = await select(reader, row, sql, personId)
  return rows.flatMap(({ id, label, endpoint, p256dh, auth, since }) => {
    const url = readEndpoint(endpoint, hosts)
    const keys = readDeviceKeys(p256dh, auth)
    return url === undefined || keys === undefined ? [] : [{ id, label, endpoint: url, keys, since }]
  })
}

/** Finds a device of a person. @throws Refused (404) @throws StoreUnavailableError */
export async function findDevice(
  reader: Reader,
  personId: string,
  id: string,
  hosts: readonly string[],
): Promise<Device> {
  const found = (await readDevices(reader, personId, hosts)).find((device) => device.id === id)
  if (found === undefined) throw new Refused(unknown)
  return found
}

export const toWire = ({ id, label, since }: Pick<Device, "id" | "label" | "since">): PushDevice => ({
  id,
  label,
  since: new Date(since).toISOString(),
})

/**
 * Stores what `POST /desk/push` asks for, while the session lasts. A person's only device switches their push on. An endpoint that another
 * person had becomes this person's: a browser has one person at a time. @throws Refused @throws StoreUnavailableError
 */
export async function saveDevice(
  database: Database,
  owner: DeviceOwner,
  text: Buffer,
  hosts: readonly string[],
): Promise<SavedDevice> {
  const read = v.safeParse(body, text.toString("utf8"))
  if (!read.success) throw new Refused(invalid)
  const { keys, label } = read.output
  const endpoint = readEndpoint(read.output.endpoint, hosts)?.href
  if (endpoint === undefined || readDeviceKeys(keys.p256dh, keys.auth) === undefined) throw new Refused(invalid)
  const now = Date.now()
  const { personId } = owner
  const isFirst = (await readDevices(database, personId, hosts)).length === 0
  // Before the device, so that what was there before is not pushed to it.
  if (isFirst) await database.transaction("notices", (statements) => startPushAt(statements, personId, now))
  const { isOnly, ...saved } = await database.transaction("sessions", (statements) =>
    storeDevice(statements, owner, { endpoint, ...keys, label, since: now }, hosts),
  )
  // After the device, so that push is not on without one. Sent again after a failure, the device is still the only one.
  if (isOnly) await database.transaction("notices", (statements) => switchPushOn(statements, personId))
  return saved
}

/** Runs under the lock of the sessions, so that no device comes after its session's sign-out. */
async function storeDevice(
  statements: Statements,
  { personId, sessionId, browserId }: DeviceOwner,
  asked: Omit<v.InferOutput<typeof row>, "id">,
  hosts: readonly string[],
): Promise<SavedDevice & { readonly isOnly: boolean }> {
  const session = await statements.read("SELECT id FROM session WHERE id = ?", sessionId)
  if (session.length === 0) throw new Refused(signedOut)
  const own = await readDevices(statements, personId, hosts)
  const before = own.find(({ endpoint }) => endpoint.href === asked.endpoint)
  if (before === undefined && own.length >= DEVICES_MAX) throw new Refused(tooMany)
  await statements.write("DELETE FROM push_device WHERE endpoint = ?", asked.endpoint)
  const { id, since } = before ?? { id: randomUUID(), since: asked.since }
  await insert(statements, "push_device", { ...asked, id, since, personId, sessionId, browserId })
  const device = toWire({ id, label: asked.label, since })
  return { device, isNew: before === undefined, isOnly: own.every((each) => each === before) }
}

/** Removes a device of a person. @throws Refused (404) @throws StoreUnavailableError */
export async function removeDevice({ write }: Pick<Statements, "write">, personId: string, id: string): Promise<void> {
  const removed = await write("DELETE FROM push_device WHERE person_id = ? AND id = ? RETURNING id", personId, id)
  if (removed.length === 0) throw new Refused(unknown)
}
