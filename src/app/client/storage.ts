import { useSyncExternalStore } from "react"
import { parseJson, stringifyJson } from "../../contract/int64.ts"
import { browserName, ownedName } from "./owner.ts"
import { dropFirst, entriesBelow, type Header, readHeader, writeHeader } from "./storage-room.ts"

/**
 * A kind of entry. Everything that the browser keeps is declared with `defineKind`: whose the entries are, how a value is checked when it is
 * read, when it is forgotten, and how much room all entries may take.
 */
export type KindOptions<Value> = {
  readonly name: string
  /** Increased when the form of the value changes. A stored value of another version is dropped. */
  readonly version: number
  /** Checks a value when it is read. A value that does not fit is dropped; nothing is thrown. */
  readonly schema: Schema<Value>
  /** `person`: only the person who is signed in can read it. `anyone`: the same for everybody who uses this browser, such as the theme. */
  readonly owner?: "person" | "anyone"
  /** `browser`: all tabs of this browser share it. `tab`: only this tab has it. */
  readonly area?: "browser" | "tab"
  readonly forgetAfterMs: number | ((value: Value) => number)
  /** How many characters all entries of the kind may have together. A browser keeps some five million for an origin. */
  readonly maxCharacters: number
  /** Whether an entry may be removed to make room, the oldest first. A draft, or a key that may still be sent, is never removed. */
  readonly mayGo: boolean | ((value: Value) => boolean)
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
   * - `older`: by the browser, but it is an older value: the last one that was written could not be kept.
   */
  readonly kept: () => Kept
}

export type Kept = "stored" | "page" | "older"

const pageValues = new Map<string, unknown>()
const parsed = new Map<string, { readonly text: string; readonly value: unknown }>()
const listeners = new Set<() => void>()

// Another tab has stored a newer value. It replaces the value that only this page had.
globalThis.addEventListener?.("storage", ({ key }) => key !== null && pageValues.delete(key))

/** Declares a kind of entry. `Id` is what an entry is about, and `Value` what it holds. */
export function defineKind<Id extends readonly string[], Value>(options: KindOptions<Value>): Kind<Id, Value> {
  const { name: kindName, owner = "person", area = "browser" } = options
  const prefix = () => (owner === "person" ? ownedName : browserName)(`${kindName}/`)
  const open = () => storageOf(area)
  const make = (name: string): Entry<Value> => ({
    name,
    // Only `write` and `writeToPage` of this kind put values under this name.
    read: () => (pageValues.has(name) ? (pageValues.get(name) as Value) : readValue(open(), name, options)),
    write: (value) => {
      const isStored = store(open(), name, prefix(), value, options)
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
      pageValues.delete(name)
      parsed.delete(name)
      open()?.removeItem(name)
      tellListeners()
    },
    kept: () => {
      if (pageValues.has(name)) return "page"
      return readHeader(open()?.getItem(name))?.writtenAt === 0 ? "older" : "stored"
    },
  })
  const made = new Map<string, Entry<Value>>()
  const entry = (...id: Id): Entry<Value> => {
    const name = prefix() + id.map((part) => encodeURIComponent(part.toWellFormed())).join("/")
    const before = made.get(name) ?? make(name)
    made.set(name, before)
    return before
  }
  const ids = () =>
    entriesBelow(open(), prefix()).flatMap(({ name }) => {
      try {
        // Names with this prefix are made from an `Id`, unless another program wrote them.
        return [name.slice(prefix().length).split("/").map(decodeURIComponent) as unknown as Id]
      } catch {
        return []
      }
    })
  return Object.assign(entry, { ids })
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

function storageOf(area: "browser" | "tab"): Storage | undefined {
  try {
    return area === "tab" ? sessionStorage : localStorage
  } catch {
    // The person has forbidden it.
    return undefined
  }
}

function tellListeners(): void {
  for (const listener of listeners) listener()
}

function readValue<Value>(storage: Storage | undefined, name: string, options: KindOptions<Value>): Value | undefined {
  const text = storage?.getItem(name)
  if (text == null) return undefined
  const before = parsed.get(name)
  // The same text was checked by the same kind before.
  if (before?.text === text) return before.value as Value | undefined
  const value = parseValue(text, options)
  parsed.set(name, { text, value })
  return value
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
  prefix: string,
  value: Value,
  options: KindOptions<Value>,
): boolean {
  if (storage === undefined) return false
  const { version, forgetAfterMs, maxCharacters, mayGo } = options
  const now = Date.now()
  const header: Omit<Header, "length"> = {
    version,
    writtenAt: now,
    forgetAt: now + (typeof forgetAfterMs === "number" ? forgetAfterMs : forgetAfterMs(value)),
    mayGo: typeof mayGo === "boolean" ? mayGo : mayGo(value),
  }
  const text = writeHeader(header) + stringifyJson(value)
  const others = (below: string) => entriesBelow(storage, below).filter((other) => other.name !== name)
  const used = () => others(prefix).reduce((sum, { characters }) => sum + characters, name.length + text.length)
  while (used() > maxCharacters) if (!dropFirst(storage, others(prefix))) return refuse(storage, name)
  for (;;) {
    try {
      storage.setItem(name, text)
      return true
    } catch {
      if (!dropFirst(storage, others("workdesk/"))) return refuse(storage, name)
    }
  }
}

/** Marks the stored value as older than what the person wrote last. The mark makes the text shorter, so it always fits. */
function refuse(storage: Storage, name: string): false {
  const text = storage.getItem(name)
  const header = readHeader(text)
  if (text === null || header === undefined) return false
  try {
    storage.setItem(name, writeHeader({ ...header, writtenAt: 0 }) + text.slice(header.length))
  } catch {
    // Nothing can be written, so nothing can be marked.
  }
  return false
}
