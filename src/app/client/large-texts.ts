import { createStore, delMany, get, keys, set, type UseStore } from "idb-keyval"
import { useSyncExternalStore } from "react"
import { ownedName } from "./storage.ts"

/**
 * Where a text is kept.
 *
 * - `stored`: by the browser, for every tab.
 * - `storing`: by this page, until the browser has stored the text.
 * - `page`: by this page alone, because the browser could not store the text.
 * - `nowhere`: the text was removed, or never written.
 * - `unknown`: the browser has not said yet.
 */
export type Place = "stored" | "storing" | "page" | "nowhere" | "unknown"

/** Texts that are too large for `defineKind`, such as the contents of files. IndexedDB keeps them, by their ids, for the person alone. */
export type LargeTexts = {
  readonly read: (id: string) => Promise<string | undefined>
  /** Keeps `text`: for this page at once, and for every tab when the browser has stored it. Resolves then, or when the browser could not store it. */
  readonly write: (id: string, text: string) => Promise<void>
  readonly remove: (ids: readonly string[]) => void
  /** Removes every text whose id is not one of `ids`. */
  readonly removeOthers: (ids: readonly string[]) => Promise<void>
  readonly placeOf: (id: string) => Place
  readonly subscribe: (listener: () => void) => () => void
}

let opened: UseStore | undefined
/** One database for all texts. Each use of it rejects where the person has forbidden this site to store anything. */
const database: UseStore = async (mode, use) => (opened ??= createStore("workdesk", "texts"))(mode, use)

/** Declares the texts of one kind. A text of the browser may be read by every later version of the app, so a kind never changes its form. */
export function defineLargeTexts(kind: string): LargeTexts {
  const listeners = new Set<() => void>()
  /** The texts that only this page has. Each is let go as soon as the browser has stored it. */
  const ofPage = new Map<string, string>()
  const places = new Map<string, Place>()
  const prefix = () => ownedName(`${kind}/`)
  const tell = () => {
    for (const listener of listeners) listener()
  }
  const storedIds = async () =>
    (await keys<string>(database).catch(() => [])).flatMap((key) =>
      key.startsWith(prefix()) ? [key.slice(prefix().length)] : [],
    )
  async function findPlace(id: string) {
    places.set(id, "unknown")
    const ids = await storedIds()
    if (places.get(id) !== "unknown") return
    places.set(id, ids.includes(id) ? "stored" : "nowhere")
    tell()
  }
  function remove(ids: readonly string[]) {
    for (const id of ids) {
      ofPage.delete(id)
      places.set(id, "nowhere")
    }
    const names = ids.map((id) => prefix() + id)
    delMany(names, database).catch(() => undefined)
    tell()
  }
  return {
    read: async (id) => ofPage.get(id) ?? (await get<string>(prefix() + id, database).catch(() => undefined)),
    write: async (id, text) => {
      ofPage.set(id, text)
      places.set(id, "storing")
      tell()
      const isStored = await set(prefix() + id, text, database).then(
        () => true,
        () => false,
      )
      // The text was removed while the browser stored it.
      if (!ofPage.has(id)) return remove([id])
      if (isStored) ofPage.delete(id)
      places.set(id, isStored ? "stored" : "page")
      tell()
    },
    remove,
    removeOthers: async (ids) => remove((await storedIds()).filter((id) => !ids.includes(id))),
    placeOf: (id) => {
      if (!places.has(id)) void findPlace(id)
      return places.get(id) ?? "unknown"
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Where the text `id` is kept, as it changes. */
export function usePlace(texts: LargeTexts, id: string): Place {
  return useSyncExternalStore(texts.subscribe, () => texts.placeOf(id))
}
