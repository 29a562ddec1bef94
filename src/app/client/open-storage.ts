import type { SignedIn } from "../../contract/desk.ts"
import { setOwner } from "./owner.ts"
import { forgetOldEntries } from "./storage-room.ts"

/** Gives this page the storage of the person of `session`. */
export async function openStorage({ mode, person }: Pick<SignedIn, "mode" | "person">): Promise<void> {
  setOwner(person.id)
  try {
    if (mode === "local" && Object.keys(localStorage).some((name) => name.startsWith("workdesk:"))) {
      const { adoptOlderEntries } = await import("./older-entries.ts")
      adoptOlderEntries(localStorage)
    }
    forgetOldEntries(localStorage)
  } catch {
    // The person has forbidden storage, or it is full. The page says so where something should be kept.
  }
}
