/** Whether this browser shows notifications of the operating system, and which items they have shown. */
import { schemaOf } from "./value-schema.ts"
import { defineKind, useEntry } from "./storage.ts"

/**
 * Whether this browser shows notifications to this person; `refused` where the browser lets no page show one, as on Android. Elsewhere
 * `notices` means mail. The name stays here and in `knownIds`, because under another name the stored choice would be lost.
 */
const choice = defineKind<readonly [], true | "refused">({
  name: "notices",
  schema: schemaOf((value) => value === true || value === "refused"),
  keptDays: 3650,
})

/** The ids of the items that were shown, or that waited when notifications were switched on. */
export const knownIds = defineKind<readonly [], readonly string[]>({
  name: "notices-known",
  schema: schemaOf((value) => Array.isArray(value) && value.every((id) => typeof id === "string")),
  keptDays: 90,
})

const permission = (): NotificationPermission => ("Notification" in globalThis ? Notification.permission : "denied")

/**
 * - `on`, `off`: as the person chose.
 * - `blocked`: the browser shows no notification of this site, because the person said so, or because it has no notifications.
 * - `refused`: the browser lets no page show a notification.
 */
type NotificationState = "on" | "off" | "blocked" | "refused"

/** Whether this browser shows notifications now, and if not, why. */
export function notificationState(chosen = choice().read()): NotificationState {
  if (permission() === "denied") return "blocked"
  if (chosen === "refused") return "refused"
  return chosen === true && permission() === "granted" ? "on" : "off"
}

export function useNotificationState(): NotificationState {
  return notificationState(useEntry(choice()))
}

/** Whether the person wants notifications. Reading the permission of the browser as well takes milliseconds. */
export const useWantsNotifications = (): boolean => useEntry(choice()) === true

/**
 * Asks the person for the permission, and switches the notifications on for every tab of this browser. Items that wait now are not new.
 *
 * @returns `refused` if the person or the browser gave no permission, `unkept` if the choice lasts only for this page
 */
export async function switchNotificationsOn(): Promise<"kept" | "unkept" | "refused"> {
  if ((await Notification.requestPermission()) !== "granted") return "refused"
  // Without known ids, the items that wait now become known and are not shown (`shell/notifications.ts`).
  knownIds().remove()
  return choice().write(true) ? "kept" : "unkept"
}

/** Switches the notifications off: by the person, or because the browser shows none (`refused`). */
export function switchNotificationsOff(why?: "refused"): void {
  if (why === undefined) choice().remove()
  else choice().write(why)
}
