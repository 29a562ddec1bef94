/** The letters of a card, which are fixed when the card opens. */
import { useState } from "react"
import { useLocation } from "react-router"
import { array, object, safeParse, string, tuple } from "valibot"
import { differingPlaces, findAlike, GROUP_MAX, type Place } from "./alike-letters.ts"
import { joinPlaces, type ShownPlace, textsAt } from "./shown-places.ts"
import { useIsComplete, useWaiting, type WaitingItem } from "../client/waiting.ts"
import { rowKey } from "../inbox/addresses.ts"
import type { InboxLine } from "../inbox/inbox-lines.ts"
import { type ItemId, whyUnreadable } from "../inbox/item.ts"
import type { Approval } from "../../contract/resources.ts"

/** A letter of a card, in the version that was pending when the card opened. */
export type AlikeRow = {
  readonly key: string
  readonly id: ItemId
  readonly shown: Approval
  /** The colleague of the Work, whom a freeze may name. */
  readonly workColleague: string
  /** The letter's text at each of the shown places, and whether the first letter has another text there. */
  readonly texts: readonly { readonly text: string; readonly differs: boolean }[]
}

export type OpenGroup = {
  readonly rows: readonly AlikeRow[]
  readonly places: readonly ShownPlace[]
  /** How many of the letters were no longer pending when the card opened, and how many no longer alike. */
  readonly gone: number
  readonly unlike: number
}

const stateSchema = object({ alike: array(tuple([string(), string()])) })

/** The ids of the letters, from the entry of the history, so that a reload shows the same letters. */
function readIds(state: unknown): readonly ItemId[] | undefined {
  const read = safeParse(stateSchema, state)
  return read.success ? read.output.alike.slice(0, GROUP_MAX) : undefined
}

/** The group of the letter `first`. Undefined while some of its letters may still be found. */
export function useOpenGroup(first: ItemId, lines: readonly InboxLine[]): OpenGroup | undefined {
  const { state } = useLocation()
  const [group, setGroup] = useState<OpenGroup>()
  const approvals = useWaiting(({ waiting }) => waiting?.approvals)
  const isComplete = useIsComplete()
  if (group !== undefined || approvals === undefined) return group
  const entries = new Map(approvals.map((entry) => [rowKey("approval", [entry.work.id, entry.item.id]), entry]))
  const stored = readIds(state)?.map((id) => rowKey("approval", id))
  const keys = stored ?? (isComplete ? findKeys(rowKey("approval", first), lines, entries) : undefined)
  if (keys === undefined || (!isComplete && keys.some((key) => !entries.has(key)))) return undefined
  const opened = openGroup(keys, entries)
  setGroup(opened)
  return opened
}

/** The keys of the group that has the letter `key`: in the order of the list, and of the letters that its filters leave out. */
function findKeys(
  key: string,
  lines: readonly InboxLine[],
  entries: ReadonlyMap<string, WaitingItem<Approval>>,
): readonly string[] {
  const listed = new Set(lines.map((line) => line.key))
  const letters = [...listed].flatMap((each) => entries.get(each) ?? [])
  const others = [...entries].flatMap(([each, entry]) => (listed.has(each) || entry.needs_you !== true ? [] : [entry]))
  const all = [...letters, ...others].map(({ work, item }) => ({ key: rowKey("approval", [work.id, item.id]), item }))
  return findAlike(all).get(key)?.keys ?? [key]
}

/** The letters that are still pending, and alike with the first of them. */
function openGroup(keys: readonly string[], entries: ReadonlyMap<string, WaitingItem<Approval>>): OpenGroup {
  const pending = keys.flatMap((key) => {
    const entry = entries.get(key)
    return entry === undefined ? [] : [{ key, entry }]
  })
  const first = pending.find(({ entry }) => whyUnreadable(entry.item) === undefined)?.entry.item
  const alike = pending.flatMap(({ key, entry }) => {
    const isReadable = first !== undefined && whyUnreadable(entry.item) === undefined
    const places = isReadable ? differingPlaces(first, entry.item) : undefined
    return places === undefined ? [] : [{ key, entry, places }]
  })
  const shown =
    first === undefined
      ? []
      : joinPlaces(
          first,
          alike.map(({ places }) => places),
        )
  return {
    rows: alike.map(({ key, entry, places }) => rowOf(key, entry, first ?? entry.item, shown, places)),
    places: shown,
    gone: keys.length - pending.length,
    unlike: pending.length - alike.length,
  }
}

function rowOf(
  key: string,
  { work, item }: WaitingItem<Approval>,
  first: Approval,
  shown: readonly ShownPlace[],
  places: readonly Place[],
): AlikeRow {
  const texts = textsAt(shown, item, places).map((text, index) => {
    const place = shown[index]
    return { text, differs: place !== undefined && first[place.part].slice(place.from, place.to) !== text }
  })
  return { key, id: [work.id, item.id], shown: item, workColleague: work.colleague_id, texts }
}
