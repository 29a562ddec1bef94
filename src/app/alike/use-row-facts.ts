/** What is known of each letter of a card: whether it was seen, its context, and what the team does with it. */
import { useQueries, useQueryClient } from "@tanstack/react-query"
import { type RefCallback, useCallback, useMemo, useRef, useState } from "react"
import type { AlikeRow } from "./alike-group.ts"
import type { RowFacts } from "./row-choice.ts"
import { type ContextState, contextOptions } from "../approvals/decision-context.ts"
import { followNames } from "../approvals/seen-parts.ts"
import { whyFrozen } from "../client/freeze-state.ts"
import { useMissingRole } from "../client/person.ts"
import { useSession } from "../client/session.ts"
import { useWaiting } from "../client/waiting.ts"
import { rowKey } from "../inbox/addresses.ts"
import { ITEM_OPERATIONS } from "../inbox/item.ts"

/** How many contexts are read at the same time. */
const READS_MAX = 6
/** A context that could not be read is read again after this time. */
const READ_AGAIN_MS = 30_000

/** The value of `data-read` of the first letter. */
export const LETTER = "letter"

/** The value of `data-read` of a row. A row whose warnings have come or changed is seen anew. */
export const nameOfRow = (key: string, { kind, context }: ContextState): string =>
  JSON.stringify([key, kind === "late" ? "reading" : kind, context?.look_alikes, context?.destination.first])

const NONE: { readonly names: ReadonlySet<string>; readonly isAll: boolean } = { names: new Set(), isAll: false }

/** Follows what of the card below `frame` was seen, by the names of the rows and of the letter. */
export function useSeenNames() {
  const [seen, setSeen] = useState(NONE)
  const following = useRef<ReturnType<typeof followNames>>(undefined)
  const frame: RefCallback<HTMLElement> = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined
    following.current = followNames(element, (names, isAll) => setSeen({ names, isAll }))
    return () => {
      following.current?.stop()
      // What is drawn anew has to be seen anew.
      setSeen(NONE)
    }
  }, [])
  return { ...seen, frame, scrollOn: () => following.current?.scrollOn() }
}

/** The keys of the rows that have come near the window. `watch` is the ref of each row, which has its key as `data-key`. */
export function useNearRows() {
  const [near, setNear] = useState<ReadonlySet<string>>(new Set())
  const observer = useMemo(
    () =>
      new IntersectionObserver(
        (entries) => {
          const keys = entries.flatMap(({ isIntersecting, target }) =>
            isIntersecting ? (target.getAttribute("data-key") ?? []) : [],
          )
          if (keys.length > 0) setNear((before) => new Set([...before, ...keys]))
        },
        { rootMargin: "50% 0px" },
      ),
    [],
  )
  const watch: RefCallback<HTMLElement> = useCallback(
    (row: HTMLElement | null) => {
      if (row === null) return undefined
      observer.observe(row)
      return () => observer.unobserve(row)
    },
    [observer],
  )
  return { near, watch }
}

/** The contexts of the rows that have come near the window, each read once and few at a time. */
function useContexts(rows: readonly AlikeRow[], near: ReadonlySet<string>): readonly ContextState[] {
  const client = useQueryClient()
  const all = rows.map(({ key, id, shown }) => {
    const options = contextOptions(id, shown.version)
    const state = client.getQueryState(options.queryKey)
    return { options, isNear: near.has(key), isKnown: state?.data !== undefined || state?.status === "error" }
  })
  const next = new Set(all.filter(({ isNear, isKnown }) => isNear && !isKnown).slice(0, READS_MAX))
  const queries = all.map((each) => ({
    ...each.options,
    enabled: each.isNear && (each.isKnown || next.has(each)),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchInterval: () => (client.getQueryState(each.options.queryKey)?.status === "error" ? READ_AGAIN_MS : false),
  }))
  return useQueries({ queries }).map(({ data, error }): ContextState => {
    if (data !== undefined) return { kind: "read", context: data }
    return { kind: error === null ? "reading" : "failed" }
  })
}

/** The facts of each row. */
export function useRowFacts(
  rows: readonly AlikeRow[],
  near: ReadonlySet<string>,
  seen: ReadonlySet<string>,
): readonly RowFacts[] {
  const contexts = useContexts(rows, near)
  const approvals = useWaiting(({ waiting }) => waiting?.approvals)
  const freezes = useWaiting(({ waiting }) => waiting?.freezes)
  const session = useSession()
  const missingRole = useMissingRole(ITEM_OPERATIONS.approval)
  const entries = useMemo(
    () => new Map((approvals ?? []).map((entry) => [rowKey("approval", [entry.work.id, entry.item.id]), entry])),
    [approvals],
  )
  return rows.map(({ key, id, shown, workColleague }, index) => {
    const context = contexts[index] ?? { kind: "reading" }
    const entry = entries.get(key)
    return {
      key,
      id,
      shown,
      isSeen: seen.has(LETTER) && seen.has(nameOfRow(key, context)),
      context,
      latest: entry?.item,
      team: entry ?? {},
      whyFrozen: whyFrozen(freezes, session, [shown.requested_by_colleague, workColleague]),
      missingRole,
    }
  })
}
