import { useSyncExternalStore } from "react"
import { onEvents } from "../client/create-store.ts"

const phone = globalThis.matchMedia?.("(max-width: 720px)")
const onPhone = onEvents(phone, "change")

/** Whether the window is as narrow as a phone. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(onPhone, () => phone?.matches ?? false)
}
