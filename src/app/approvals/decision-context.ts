import { queryOptions } from "@tanstack/react-query"
import type { DecisionContext } from "../../contract/desk.ts"
import type { DeskError } from "../client/desk-error.ts"
import { readDeskJson } from "../client/desk-read.ts"
import { workKey } from "../client/query-keys.ts"
import { LIST_PACE, pollInterval } from "../client/polling.ts"
import type { ItemId } from "../inbox/item-variant.ts"

const interval = pollInterval(LIST_PACE)

/** What the desk knows about an approval's destination and colleague, and whether the rules let this person approve. */
export const contextOptions = ([workId, approval]: ItemId) =>
  queryOptions<DecisionContext, DeskError>({
    queryKey: [...workKey(workId), "context", approval],
    queryFn: ({ signal }) => readDeskJson(`/desk/context?${new URLSearchParams({ work: workId, approval })}`, signal),
    refetchInterval: interval,
  })
