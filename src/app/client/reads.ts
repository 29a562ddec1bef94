import { queryOptions } from "@tanstack/react-query"
import type { Work } from "../../contract/resources.ts"
import { api, dataOf } from "./api.ts"
import type { DeskError } from "./desk-error.ts"
import { workKey } from "./query-keys.ts"
import { LIST_PACE, pollInterval } from "./polling.ts"

const listInterval = pollInterval(LIST_PACE)

/** How one Work is read (openapi.yaml, getWork). The items of a Work are in `item-reads.ts`, which is not in the first load. */
export const workOptions = (id: string) =>
  queryOptions<Work, DeskError>({
    queryKey: workKey(id),
    queryFn: ({ signal }) => dataOf(api.GET("/api/v1/work/{id}", { params: { path: { id } }, signal })),
    refetchInterval: listInterval,
    meta: { shared: true },
  })
