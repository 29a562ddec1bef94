import { number, object, optional, string } from "valibot"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { createLimitedStorage } from "./testing/limited-storage.ts"
import { defineKind, forgetOldEntries, type KindOptions, setOwner } from "./storage.ts"

type Note = { readonly text: string; readonly count: number }

const DAY_MS = 24 * 60 * 60_000
const options: KindOptions<Note> = {
  name: "note",
  version: 2,
  keptDays: 1,
  schema: object({ text: string(), count: number() }),
}
const notes = defineKind<readonly [about: string], Note>(options)

let room: { characters: number }
/** The number of characters in the storage, plus `more`. */
const limitRoom = (more: number) => {
  const used = Object.entries(localStorage).reduce((sum, [name, text]) => sum + name.length + String(text).length, 0)
  room.characters = used + more
}

beforeEach(() => {
  room = { characters: Infinity }
  vi.stubGlobal("localStorage", createLimitedStorage(room))
  setOwner("local")
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe("an entry", () => {
  it("is let go when it is removed", () => {
    const entry = notes("a")
    entry.write({ text: "Hello", count: 3 })
    const before = entry.read()
    const name = Object.keys(localStorage).find((key) => key.includes("note/a")) ?? ""
    const text = localStorage.getItem(name) ?? ""
    entry.remove()
    localStorage.setItem(name, text)
    expect(entry.read()).toEqual(before)
    expect(entry.read()).not.toBe(before)
  })

  it("is read as it was written, as the same object until it changes, with any id", () => {
    const entry = notes("a/b%2F\u{d800}?")
    expect(entry.write({ text: "Hello", count: 3 })).toBe(true)
    expect(entry.read()).toEqual({ text: "Hello", count: 3 })
    expect(entry.read()).toBe(entry.read())
    expect(notes.ids()).toEqual([["a/b%2F\u{fffd}?"]])
    entry.remove()
    expect(entry.read()).toBeUndefined()
    expect(notes.ids()).toEqual([])
  })

  it.each([
    ["garbage", "{"],
    ["no envelope", '{"text":"Hello","count":3}'],
    ["another version", '{"kind":1,"writtenAt":1,"forgetAt":99999999999999,"value":{"text":"Hello","count":3}}'],
    ["another form", '{"kind":2,"writtenAt":1,"forgetAt":99999999999999,"value":{"text":"Hello"}}'],
    ["null", '{"kind":2,"writtenAt":1,"forgetAt":99999999999999,"value":null}'],
    ["a time that is over", '{"kind":2,"writtenAt":1,"forgetAt":2,"value":{"text":"Hello","count":3}}'],
    ["no JSON of an earlier build", "2 1 99999999999999 0 {"],
  ])("that cannot be read (%s) is dropped, and can be written again", (_, text) => {
    const entry = notes("one")
    localStorage.setItem(entry.name, text)
    expect(entry.read()).toBeUndefined()
    entry.write({ text: "New", count: 1 })
    expect(entry.read()).toEqual({ text: "New", count: 1 })
  })

  it("is forgotten when its time is over", () => {
    notes("one").write({ text: "Hello", count: 3 })
    forgetOldEntries(localStorage, Date.now() + DAY_MS - 1_000)
    expect(Object.keys(localStorage)).toHaveLength(1)
    forgetOldEntries(localStorage, Date.now() + DAY_MS)
    expect(Object.keys(localStorage)).toHaveLength(0)
  })

  it("belongs to its person alone", () => {
    notes("one").write({ text: "Mine", count: 1 })
    setOwner("ada")
    expect(notes("one").read()).toBeUndefined()
    expect(notes.ids()).toEqual([])
    notes("one").write({ text: "Hers", count: 2 })
    setOwner("local")
    expect(notes("one").read()).toEqual({ text: "Mine", count: 1 })
  })
})

describe("a full storage", () => {
  it("gives room by forgetting what is over, and nothing else", () => {
    vi.useFakeTimers({ now: 1_000_000 })
    notes("over").write({ text: "x".repeat(300), count: 0 })
    vi.setSystemTime(1_000_000 + DAY_MS)
    notes("typed").write({ text: "x".repeat(300), count: 0 })
    limitRoom(200)
    expect(notes("more").write({ text: "y".repeat(300), count: 0 })).toBe(true)
    expect(notes.ids().flat().toSorted()).toEqual(["more", "typed"])
    expect(notes("typed").read()?.text).toBe("x".repeat(300))
    expect(notes("more").kept()).toBe("stored")
  })

  it("says what it could not keep: the page has the new value, and the stored value is marked as older", () => {
    const entry = notes("typed")
    entry.write({ text: "Half", count: 0 })
    limitRoom(0)
    expect(entry.write({ text: "Half an answer", count: 1 })).toBe(false)
    expect(entry.read()).toMatchObject({ count: 1 })
    expect(entry.kept()).toBe("page")
    // A later page load has only what the browser stored. Under another owner this page does not know the entry.
    const stored = localStorage.getItem(entry.name) ?? ""
    setOwner("reloaded")
    localStorage.removeItem(entry.name)
    localStorage.setItem(notes("typed").name, stored)
    expect(notes("typed").read()).toEqual({ text: "Half", count: 0 })
    expect(notes("typed").kept()).toBe("older")
  })
})

it("a text that an earlier build has stored is kept: its header stood before the JSON", () => {
  const entry = notes("typed before the upgrade")
  localStorage.setItem(entry.name, '2 1 99999999999999 0 {"text":"Hello","count":3}')
  forgetOldEntries(localStorage)
  expect(entry.read()).toEqual({ text: "Hello", count: 3 })
  expect(entry.kept()).toBe("stored")
})

it("a kind with a new optional member reads the entries of before", () => {
  notes("one").write({ text: "Typed before the upgrade", count: 1 })
  const newer = defineKind<readonly [about: string], Note & { readonly author?: string | undefined }>({
    ...options,
    schema: object({ text: string(), count: number(), author: optional(string()) }),
  })
  expect(newer("one").read()).toEqual({ text: "Typed before the upgrade", count: 1 })
})
