import { number, object, string } from "valibot"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { createLimitedStorage } from "./limited-storage.ts"
import { openStorage } from "./open-storage.ts"
import { setOwner } from "./owner.ts"
import { defineKind, type KindOptions } from "./storage.ts"
import { forgetOldEntries } from "./storage-room.ts"

type Note = { readonly text: string; readonly count: number }

const DAY_MS = 24 * 60 * 60_000
const common = { version: 2, forgetAfterMs: DAY_MS, maxCharacters: 2_000, mayGo: false }
const options: KindOptions<Note> = { ...common, name: "note", schema: object({ text: string(), count: number() }) }
const notes = defineKind<readonly [about: string], Note>(options)
const scraps = defineKind<readonly [about: string], string>({ ...common, name: "scrap", schema: string(), mayGo: true })
const person = (id: string) => ({ id, name: id, roles: [], operations: [] })

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
    ["no header", '{"text":"Hello","count":3}'],
    ["another version", '1 1 99999999999999 0 {"text":"Hello","count":3}'],
    ["another form", '2 1 99999999999999 0 {"text":"Hello"}'],
    ["no JSON", "2 1 99999999999999 0 {"],
    ["null", "2 1 99999999999999 0 null"],
    ["a time that is over", '2 1 2 0 {"text":"Hello","count":3}'],
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
  it("removes the oldest of what may go, and nothing else", () => {
    vi.useFakeTimers({ now: 1_000_000 })
    scraps("older").write("x".repeat(300))
    vi.setSystemTime(1_000_001)
    scraps("newer").write("x".repeat(300))
    notes("typed").write({ text: "x".repeat(300), count: 0 })
    limitRoom(200)
    expect(notes("more").write({ text: "y".repeat(300), count: 0 })).toBe(true)
    expect(scraps.ids()).toEqual([["newer"]])
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

  it("holds for one kind: its own limit ends with its oldest, or with a refusal", () => {
    for (const about of ["a", "b", "c", "d"]) expect(scraps(about).write("x".repeat(600))).toBe(true)
    expect(scraps.ids()).toHaveLength(3)
    expect(notes("a").write({ text: "x".repeat(1_900), count: 0 })).toBe(true)
    expect(notes("b").write({ text: "x".repeat(600), count: 0 })).toBe(false)
    expect(notes("a").read()?.text).toHaveLength(1_900)
  })
})

describe("what an older desk kept", () => {
  const keep = () => {
    localStorage.setItem("workdesk:draft:answer/work_1/att_1", "Half an\nanswer")
    localStorage.setItem("workdesk:seen:answer/work_1/att_1", "{}")
  }
  const draft = { ...common, name: "draft", version: 1, schema: string() }
  const drafts = defineKind<readonly [string, string, string], string>(draft)

  it("belongs to `local`", async () => {
    keep()
    await openStorage({ mode: "local", person: person("local") })
    expect(drafts("answer", "work_1", "att_1").read()).toBe("Half an\nanswer")
    expect(Object.keys(localStorage).filter((name) => name.startsWith("workdesk:"))).toEqual([])
  })

  it("belongs to nobody in sign-in mode", async () => {
    keep()
    await openStorage({ mode: "sign-in", person: person("ada") })
    expect(drafts("answer", "work_1", "att_1").read()).toBeUndefined()
    expect(localStorage.getItem("workdesk:draft:answer/work_1/att_1")).toBe("Half an\nanswer")
  })
})
