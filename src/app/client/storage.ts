import { useCallback, useSyncExternalStore } from "react"
import { parseJson, stringifyJson } from "../../contract/int64.ts"

/**
 * A kind of entry. Everything small that the browser keeps is declared with `defineKind`: whose the entries are, how a value is checked at
 * each read, and when it is forgotten. `large-texts.ts` keeps what is large.
 *
 * To add a member to a value, make the member optional in the schema (`optional`, or with a default) and leave `version` as it is: then the
 * entries that an older build of the app has stored stay. Increase `version` only where an older value would be wrong, because every stored
 * value of another version is dropped, drafts too. An older build may be open in another tab, so that build must be able to read the new form.
 */
export type KindOptions<Value> = {
  readonly name: string
  readonly version: number
  /** Checks a value when it is read. A value that does not fit is dropped; nothing is thrown. */
  readonly schema: Schema<Value>
  /** `person`: only the person who is signed in can read it. `anyone`: the same for everybody who uses this browser, such as the theme. */
  readonly owner?: "person" | "anyone"
  /** `browser`: all tabs of this browser share it. `tab`: only this tab has it. */
  readonly area?: "browser" | "tab"
  readonly forgetAfterMs: number | ((value: Value) => number)
}

/** A schema of Standard Schema 1, such as valibot makes. Without valibot the first load is 2 kB (brotli) smaller. */
export type Schema<Value> = {
  readonly "~standard": { readonly validate: (value: unknown) => Checked<Value> | Promise<Checked<Value>> }
}
type Checked<Value> = { readonly value: Value; readonly issues?: undefined } | { readonly issues: readonly unknown[] }

/** A schema from the check `fits`, for values that are read before the first paint. */
export function schemaOf<Value>(fits: (value: unknown) => value is Value): Schema<Value> {
  return { "~standard": { validate: (value) => (fits(value) ? { value } : { issues: [value] }) } }
}

/** The entries of one kind: `drafts("answer", workId, id)` is one of them, the same object each time. */
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
const listeners = new Set<() => void>()

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
  const open = () => storageOf(options.area ?? "browser")
  /** The values that only this page has. A newer value that another tab stores takes their place. */
  const pageValues = new Map<string, Value>()
  globalThis.addEventListener?.("storage", ({ key }) => key !== null && pageValues.delete(key))

  function make(name: string): Entry<Value> {
    /** What was read last, so that the value is the same object until it changes. */
    let last: { readonly text: string; readonly value: Value | undefined } | undefined
    return {
      name,
      read: () => {
        if (pageValues.has(name)) return pageValues.get(name)
        const text = open()?.getItem(name) ?? undefined
        if (text === undefined) last = undefined
        else if (text !== last?.text) last = { text, value: parseValue(text, options) }
        return last?.value
      },
      write: (value) => {
        const isStored = store(open(), name, value, options)
        if (isStored) pageValues.delete(name)
        else pageValues.set(name, value)
        tellListeners()
        return isStored
      },
      writeToPage: (value) => {
        pageValues.set(name, value)
        tellListeners()
      },
      remove: () => {
        last = undefined
        pageValues.delete(name)
        open()?.removeItem(name)
        tellListeners()
      },
      kept: () => {
        if (pageValues.has(name)) return "page"
        return readHeader(open()?.getItem(name))?.writtenAt === 0 ? "older" : "stored"
      },
    }
  }

  const made = new Map<string, Entry<Value>>()
  const entry = (...id: Id): Entry<Value> => {
    const name = prefix() + id.map((part) => encodeURIComponent(part.toWellFormed())).join("/")
    const before = made.get(name) ?? make(name)
    made.set(name, before)
    return before
  }
  // Each name with this prefix was made from an `Id`, so its parts are an `Id` again.
  const ids = () =>
    namesBelow(open(), prefix()).map(
      (name) => name.slice(prefix().length).split("/").map(decodeURIComponent) as unknown as Id,
    )
  return Object.assign(entry, { ids })
}

/** Gives this page the storage of a person, and removes the entries whose time is over. Called once for a page load. */
export function openStorage(personId: string): void {
  setOwner(personId)
  const storage = storageOf("browser")
  if (storage !== undefined) forgetOldEntries(storage)
}

/** Calls `listener` after each change, also of another tab. Returns a function that stops the calls. */
export function onStorageChange(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener("storage", listener)
  return () => {
    listeners.delete(listener)
    removeEventListener("storage", listener)
  }
}

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

function storageOf(area: "browser" | "tab"): Storage | undefined {
  try {
    return area === "tab" ? sessionStorage : localStorage
  } catch {
    // The person has forbidden this site to store anything.
    return undefined
  }
}

function tellListeners(): void {
  for (const listener of listeners) listener()
}

function parseValue<Value>(text: string, { version, schema }: KindOptions<Value>): Value | undefined {
  const header = readHeader(text)
  if (header?.version !== version || header.forgetAt <= Date.now()) return undefined
  try {
    const result = schema["~standard"].validate(parseJson(text.slice(header.length)))
    return result instanceof Promise || result.issues !== undefined ? undefined : result.value
  } catch {
    return undefined
  }
}

function store<Value>(
  storage: Storage | undefined,
  name: string,
  value: Value,
  { version, forgetAfterMs }: KindOptions<Value>,
): boolean {
  if (storage === undefined) return false
  const now = Date.now()
  const forgetAt = now + (typeof forgetAfterMs === "number" ? forgetAfterMs : forgetAfterMs(value))
  const text = writeHeader({ version, writtenAt: now, forgetAt }) + stringifyJson(value)
  if (tryToStore(storage, name, text)) return true
  forgetOldEntries(storage)
  if (tryToStore(storage, name, text)) return true
  // `writtenAt: 0` marks the stored value as older than what the person wrote last. The mark makes the text shorter, so it always fits.
  const before = storage.getItem(name)
  const header = readHeader(before)
  if (before !== null && header !== undefined)
    tryToStore(storage, name, writeHeader({ ...header, writtenAt: 0 }) + before.slice(header.length))
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

/**
 * Each stored text begins with a header that can be read without the kind of the entry: the version, when the text was written (0 where a newer
 * value could not be kept), when it is forgotten (both in ms since 1970), and a digit that version 1.0.0 needs.
 */
type Header = { readonly version: number; readonly writtenAt: number; readonly forgetAt: number }

function readHeader(text: string | null | undefined): (Header & { readonly length: number }) | undefined {
  const [found, version, writtenAt, forgetAt] = /^(\d+) (\d+) (\d+) [01] /.exec(text ?? "") ?? []
  if (found === undefined) return undefined
  return { version: Number(version), writtenAt: Number(writtenAt), forgetAt: Number(forgetAt), length: found.length }
}

function writeHeader({ version, writtenAt, forgetAt }: Header): string {
  return `${[version, writtenAt, forgetAt, 0].join(" ")} `
}

function namesBelow(storage: Storage | undefined, prefix: string): readonly string[] {
  return Object.keys(storage ?? {}).filter((name) => name.startsWith(prefix))
}

/** Removes the entries whose time is over and the entries without a header. `now` is in milliseconds since 1970. */
export function forgetOldEntries(storage: Storage, now = Date.now()): void {
  for (const name of namesBelow(storage, "workdesk/")) {
    const header = readHeader(storage.getItem(name))
    if (header === undefined || header.forgetAt <= now) storage.removeItem(name)
  }
}
