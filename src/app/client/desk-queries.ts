import { type QueryKey, queryOptions, type UseQueryOptions } from "@tanstack/react-query"
import type { DeskError } from "./desk-error.ts"
import { readDesk } from "./desk-request.ts"
import type { Schema } from "./schema.ts"

/** The query of what the desk answers at `address`, checked by `schema`. */
export function deskQuery<Data>(
  queryKey: QueryKey,
  address: string,
  schema: Schema<Data>,
  options: Omit<UseQueryOptions<Data, DeskError>, "queryKey" | "queryFn"> = {},
) {
  return queryOptions<Data, DeskError>({
    ...options,
    queryKey,
    queryFn: ({ signal }) => readDesk(address, schema, { signal }),
  })
}
