import { useQuery } from "@tanstack/react-query"
import type { Work } from "../../contract/resources.ts"
import { api, dataOf } from "./api.ts"
import type { DeskError } from "./desk-error.ts"
import { workKey } from "./keys.ts"
import { itemInterval } from "./polling.ts"

/** A Work as it stands now, for what speaks of it elsewhere than on its own page. Undefined until it has been read. */
export function useWorkNow(id: string): Work | undefined {
  return useQuery<Work, DeskError>({
    queryKey: workKey(id),
    queryFn: ({ signal }) => dataOf(api.GET("/api/v1/work/{id}", { params: { path: { id } }, signal })),
    refetchInterval: itemInterval,
  }).data
}
