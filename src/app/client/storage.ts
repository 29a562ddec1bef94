/** What the app keeps in the browser: typed entries of one person, shared by all tabs. */
import { useCallback, useSyncExternalStore } from "react"
import { createStore } from "./create-store.ts"
import { markOlder, readEnvelope, readStored, type Stored, writeEnvelope } from "./stored-envelope.ts"
import type { Schema } from "./value-schema.ts"

/**
 * A kind of entry. Everything that the browser keeps is declared with `defineKind`: whose the entries are, how a value is checked at each read,
 * and when it is forgotten.
 *
 * To add a member to a value, make the member optional in the schema (`optional`, or with a default) and leave `version` as it is: then the
 * entries that an older build of the app has stored stay. Increase `version` only where an older value would be wrong, because every stored
 * value of another version is dropped, drafts too. An older build may be open in another tab, so that build must be able to read the new form.
 */
export type KindOptions<Value> = {
  readonly name: string
  /** 1 where it is left out. */
  readonly version?: number
  /** Checks a value when it is read. A value that does not fit is dropped; nothing is thrown. */
  readonly schema: Schema<Value>
  /** `person`: only the person who is signed in can read it. `anyone`: the same for everybody who uses this browser, such as the theme. */
  readonly owner?: "person" | "anyone"
  /** After so many days without a change the entry is forgotten. */
  readonly keptDays: number | ((value: Value) => number)
}

/** The entries of one kind: `drafts("approval", workId, id)` is one of them, the same object each time. */
export type Kind<Id extends readonly string[], Value> = ((...id: Id) => Entry<Value>) & {
  /** The ids of the stored entries, in no order. */
  readonly ids: () => readonly Id[]
}

/** One thing that the browser keeps. */
export type Entry<Value> = {
  /** Unique in this browser and for this person, so that it also names a lock. */
  readonly name: string
  /** The checked value; undefined where there is none. The same object until the value changes. */
  readonly read: () => Value | undefined
  /**
   * Keeps `value` for every tab. Returns false where the browser could not: then only this page has the value, and the screen must say so.
   */
  readonly write: (value: Value) => boolean
  /** Sets the value for this page alone, until a reload. */
  readonly writeToPage: (value: Value) => void
  readonly remove: () => void
  /**
   * Where the value that `read` returns is kept.
   *
   * - `stored`: by the browser; or there is no value.
   * - `page`: by this page alone.
   * - `older`: by the browser, but the value is an older one: the browser could not keep the value that was written last.
   */
  readonly kept: () => Kept
}

export type Kept = "stored" | "page" | "older"

/** The owner of this page's entries, locks and channels: the id of the person who is signed in, or `local` in local mode. */
let owner: string | undefined
/** Rises with each change, also of another tab. */
const changes = createStore(0)
/** The texts that only this page has, by the names of their entries. A newer text that another tab stores takes their place. */
const pageTexts = new Map<string, string>()

globalThis.addEventListener?.("storage", ({ key }) => {
  if (key !== null) pageTexts.delete(key)
  notifyChange()
})

function notifyChange(): void {
  changes.set(changes.get() + 1)
}

/** Sets the owner. Another person needs another page load. */
export function setOwner(personId: string): void {
  owner = personId
}

/** The name of an entry, a Web Lock or a BroadcastChannel that only the present person has: two people who use one browser share none. */
export function ownedName(name: string): string {
  if (owner === undefined) throw new Error(`"${name}" was used before the session was known`)
  return `workdesk/${encodeURIComponent(owner)}/${name}`
}

/** Declares a kind of entry. `Id` is what an entry is about, and `Value` what it holds. */
export function defineKind<Id extends readonly string[], Value>(options: KindOptions<Value>): Kind<Id, Value> {
  const prefix = () => (options.owner === "anyone" ? `workdesk//${options.name}/` : ownedName(`${options.name}/`))
  const entries = new Map<string, Entry<Value>>()
  const entryOf = (...id: Id): Entry<Value> => {
    const name = prefix() + id.map((part) => encodeURIComponent(part.toWellFormed())).join("/")
    const entry = entries.get(name) ?? createEntry(name, options)
    entries.set(name, entry)
    return entry
  }
  // Each name with this prefix was made from an `Id`, so its parts are an `Id` again.
  const ids = () =>
    namesBelow(browserStorage(), prefix()).map(
      (name) => name.slice(prefix().length).split("/").map(decodeURIComponent) as unknown as Id,
    )
  return Object.assign(entryOf, { ids })
}

function createEntry<Value>(name: string, options: KindOptions<Value>): Entry<Value> {
  const storedText = () => browserStorage()?.getItem(name) ?? undefined
  /** What was read last. Each text is read once, so the value is the same object until it changes. */
  let last: ({ readonly text: string } & Stored<Value>) | undefined
  const latest = () => {
    const text = pageTexts.get(name) ?? storedText()
    if (text === undefined) last = undefined
    else if (text !== last?.text) last = { text, ...readStored(text, options) }
    return last
  }
  const keepOnPage = (value: Value) => {
    pageTexts.set(name, writeEnvelope(value, options))
    notifyChange()
  }
  return {
    name,
    read: () => latest()?.value,
    write: (value) => {
      if (!store(browserStorage(), name, writeEnvelope(value, options))) {
        keepOnPage(value)
        return false
      }
      pageTexts.delete(name)
      notifyChange()
      return true
    },
    writeToPage: keepOnPage,
    remove: () => {
      last = undefined
      pageTexts.delete(name)
      browserStorage()?.removeItem(name)
      notifyChange()
    },
    kept: () => {
      if (pageTexts.has(name)) return "page"
      return latest()?.isOlder === true ? "older" : "stored"
    },
  }
}

/** Gives this page the storage of a person, and removes the entries whose time is over. Called once for a page load. */
export function openStorage(personId: string): void {
  setOwner(personId)
  const storage = browserStorage()
  if (storage !== undefined) forgetOldEntries(storage)
  try {
    // An earlier build kept the contents of files in this database.
    indexedDB.deleteDatabase("workdesk")
  } catch {
    // The person has forbidden this site to store anything.
  }
}

/** Calls `listener` after each change, also of another tab. Returns a function that stops the calls. */
export const onStorageChange = changes.subscribe

/** The value of `entry`, as it changes in any tab. */
export function useEntry<Value>(entry: Pick<Entry<Value>, "read">): Value | undefined {
  return useSyncExternalStore(onStorageChange, entry.read)
}

/** Where the value of `entry` is kept, as it changes. */
export function useKept(entry: Pick<Entry<unknown>, "kept">): Kept {
  return useSyncExternalStore(onStorageChange, entry.kept)
}

/** The text of a draft and how to change it. Empty text is no draft. */
export function useDraft(entry: Entry<string>): readonly [text: string, setText: (text: string) => void] {
  const setText = useCallback((text: string) => void (text === "" ? entry.remove() : entry.write(text)), [entry])
  return [useEntry(entry) ?? "", setText]
}

function browserStorage(): Storage | undefined {
  try {
    return localStorage
  } catch {
    // The person has forbidden this site to store anything.
    return undefined
  }
}

/** Stores a text, if need be in the room of old entries. If that fails, returns false, and marks the text that stays as older. */
function store(storage: Storage | undefined, name: string, text: string): boolean {
  if (storage === undefined) return false
  if (tryToStore(storage, name, text)) return true
  forgetOldEntries(storage)
  if (tryToStore(storage, name, text)) return true
  const older = markOlder(storage.getItem(name))
  if (older !== undefined) tryToStore(storage, name, older)
  return false
}

function tryToStore(storage: Storage, name: string, text: string): boolean {
  try {
    storage.setItem(name, text)
    return true
  } catch {
    return false
  }
}

function namesBelow(storage: Storage | undefined, prefix: string): readonly string[] {
  return Object.keys(storage ?? {}).filter((name) => name.startsWith(prefix))
}

/** Removes the entries whose time is over and those that cannot be read. `now` is in milliseconds since 1970. */
export function forgetOldEntries(storage: Storage, now = Date.now()): void {
  for (const name of namesBelow(storage, "workdesk/")) {
    const stored = readEnvelope(storage.getItem(name))
    if (stored === undefined || stored.forgetAt <= now) storage.removeItem(name)
  }
}
