/** The entries of the palette, and how typed words find them. */
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import type { RecordEntry, RecordPage } from "../../contract/desk-work.ts"
import type { SignedIn } from "../../contract/desk-people.ts"
import { fold } from "../../contract/find-words.ts"
import type { Work } from "../../contract/resources.ts"
import { STATUSES } from "../../contract/work-order.ts"
import { deskQuery } from "../client/desk-request.ts"
import { answerWith } from "../client/value-schema.ts"
import { signOut, switchPerson } from "../client/person.ts"
import { addressOfView, builtInViews, useSavedViews } from "../client/own-saved-views.ts"
import { useWaiting, type Waiting } from "../client/waiting.ts"
import { workListAnswer } from "../client/work-reads.ts"
import { statusWord } from "../ui/status.tsx"
import { workAddress } from "../inbox/addresses.ts"
import { pages } from "../pages.ts"
import { chooseTheme, themes } from "./theme.ts"
import { linksOf } from "./waiting-counts.ts"

/** An entry of the palette. */
export type PaletteEntry = {
  readonly id: string
  readonly group: string
  readonly title: string
  /** Shown beside the title, and searched too. */
  readonly detail: string
  readonly open: { readonly to: string } | { readonly run: () => void | Promise<void> }
}

/** An entry with its words for the search, which are made once and not at every key. */
export type SearchableEntry = { readonly entry: PaletteEntry; readonly words: readonly string[] }

type Sources = { session: SignedIn; onHelp: () => void; wanted: string }

/**
 * Everything that the palette can open. `wanted` is the typed text, for the reads that search on the server. `isReading`: an answer is still to
 * come. `hasFailed`: a read has failed, so entries may be missing.
 */
export function usePaletteEntries({ session, onHelp, wanted }: Sources) {
  const waiting = useWaiting((now) => now.waiting)
  const views = useSavedViews()
  const reads = useReads(wordsForDesk(wanted, session))
  const { work, decisions } = reads
  const entries = useMemo(() => {
    const entries = [
      ...actionEntries(session, onHelp),
      ...(waiting === undefined ? [] : waitingEntries(waiting, session.person.id)),
      ...pageEntries,
      ...[...builtInViews(session), ...views].map((view) => linkTo("View", view.name, addressOfView(view))),
      ...work.map((each) => workEntry(each, session)),
      ...session.colleagues.map(({ id, label, does }) =>
        linkTo("Colleague", label, `/work?${new URLSearchParams({ colleague: id })}`, does),
      ),
      ...decisions,
    ]
    return entries.map((entry): SearchableEntry => ({
      entry,
      words: wordsOf(`${entry.title} ${entry.detail} ${entry.group}`),
    }))
  }, [session, waiting, onHelp, views, work, decisions])
  return { entries, isReading: reads.isReading, hasFailed: reads.hasFailed }
}

const linkTo = (group: string, title: string, to: string, detail = ""): PaletteEntry => ({
  // The title is part of the id, because a view that was saved from another view has the same address.
  id: `${group} ${to} ${title}`,
  group,
  title,
  detail,
  open: { to },
})

function waitingEntries(waiting: Waiting, myId: string): readonly PaletteEntry[] {
  const { clarifications, approvals } = linksOf(waiting, myId)
  return [
    ...clarifications.map(({ title, to, workTitle }) => linkTo("Question", title, to, workTitle)),
    ...approvals.map(({ title, to, workTitle }) => linkTo("Approval", title, to, workTitle)),
  ]
}

const pageEntries = [
  ...pages.flatMap(({ path, name }) =>
    name === undefined || path === "/work/new" ? [] : [linkTo("Page", name, path)],
  ),
  linkTo("Page", "Questions", "/needs-you?kind=questions"),
]

function actionEntries({ mode }: SignedIn, onHelp: () => void): readonly PaletteEntry[] {
  const action = (title: string, run: () => void | Promise<void>, detail = ""): PaletteEntry => ({
    id: `Action ${title}`,
    group: "Action",
    title,
    detail,
    open: { run },
  })
  return [
    linkTo("Action", "New Work", "/work/new"),
    ...themes.map((theme) => action(`Theme: ${theme}`, () => chooseTheme(theme))),
    action("Keyboard shortcuts", onHelp),
    ...(mode === "sign-in" ? [action("Switch person", switchPerson), action("Sign out", signOut)] : []),
  ]
}

const workEntry = ({ id, title, status, colleague_id: colleague }: Work, { colleagues }: SignedIn): PaletteEntry =>
  linkTo(
    "Work",
    title === "" ? id : title,
    workAddress(id),
    `${statusWord(status)}, ${colleagues.find((each) => each.id === colleague)?.label ?? colleague}`,
  )

const NEWEST_MAX = 50
const FOUND_MAX = 200

/**
 * The words that the desk is asked to find in titles, objectives and questions. The desk would not find there a word that names the colleague, the
 * status or the group of Work: the palette compares such a word itself. If nothing else was typed, the desk is asked for all words.
 */
function wordsForDesk(wanted: string, { colleagues }: SignedIn): string {
  const typed = wordsOf(wanted)
  const names = wordsOf(["Work", ...STATUSES, ...colleagues.flatMap(({ id, label }) => [id, label])].join(" "))
  const withoutNames = typed.filter((word) => !names.some((name) => name.startsWith(word)))
  return (withoutNames.length === 0 ? typed : withoutNames).join(" ")
}

/** The newest Work, the open Work that the desk finds by the words `q`, and the latest decisions. */
function useReads(q: string) {
  const newest = useQuery(
    deskQuery(["palette", "newest"], `/api/v1/work?limit=${NEWEST_MAX}`, workListAnswer, {
      staleTime: 30_000,
    }),
  )
  const found = useQuery(
    deskQuery(
      ["palette", "found", q],
      `/desk/work?${new URLSearchParams({ q, limit: String(FOUND_MAX) })}`,
      workListAnswer,
      { enabled: q !== "", staleTime: 30_000, placeholderData: (before) => before },
    ),
  )
  const decided = useQuery(
    deskQuery(
      ["palette", "decisions"],
      "/desk/record?operation=resolveWorkApproval&outcome=recorded",
      answerWith<RecordPage>("data"),
      { staleTime: 30_000 },
    ),
  )
  const work = useMemo(() => {
    const all = [...(newest.data?.data ?? []), ...(found.data?.data ?? [])]
    return [...new Map(all.map((each) => [each.id, each])).values()]
  }, [newest.data, found.data])
  const decisions = useMemo(() => (decided.data?.data ?? []).map(decisionEntry), [decided.data])
  const reads = [newest, found, decided]
  return {
    work,
    decisions,
    isReading: reads.some(
      ({ isFetching, isSuccess, isPlaceholderData }) => isFetching && (!isSuccess || isPlaceholderData),
    ),
    hasFailed: reads.some(({ isError }) => isError),
  }
}

function decisionEntry({ sequence, summary, decision, person, work_id, item_id }: RecordEntry): PaletteEntry {
  return {
    ...linkTo(
      "Decision",
      summary ?? item_id ?? "",
      `/record?${new URLSearchParams({ work: work_id ?? "", item: item_id ?? "" })}`,
      `${decision === "decline" ? "Declined" : "Approved"} by ${person.name}`,
    ),
    // A decision that was sent again has two entries in the record.
    id: `Decision ${sequence}`,
  }
}

/** The words of a text for comparing. */
export function wordsOf(text: string): readonly string[] {
  return fold(text).match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Whether each word of `wanted` begins a word of `words`, in any order. No two begin the same word. */
export function matchesWords(words: readonly string[], wanted: readonly string[]): boolean {
  const left = [...words]
  // The longest word is matched first, so that "in" does not use up "invoices", which "inv" needs.
  return wanted
    .toSorted((a, b) => b.length - a.length)
    .every((word) => {
      const place = left.findIndex((candidate) => candidate.startsWith(word))
      if (place !== -1) left.splice(place, 1)
      return place !== -1
    })
}
