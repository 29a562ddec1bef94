import { queryOptions } from "@tanstack/react-query"
import type { Work } from "../../contract/resources.ts"
import { api, dataOf } from "./api.ts"
import type { DeskError } from "./desk-error.ts"
import { workKey } from "./keys.ts"
import { LIST_PACE, pollInterval } from "./polling.ts"

/*
 * How a Work and what belongs to it are read: one declaration for each key, with its interval and whether the tabs of a browser share
 * the answer. Nobody else writes these keys.
 */

const listInterval = pollInterval(LIST_PACE)

/** One Work. */
export const workOptions = (id: string) =>
  queryOptions<Work, DeskError>({
    queryKey: workKey(id),
    queryFn: ({ signal }) => dataOf(api.GET("/api/v1/work/{id}", { params: { path: { id } }, signal })),
    refetchInterval: listInterval,
    meta: { shared: true },
  })
