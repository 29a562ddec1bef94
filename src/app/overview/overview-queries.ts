import { queryOptions } from "@tanstack/react-query"
import type { Overview } from "../../contract/desk.ts"
import { readDeskJson } from "../client/desk-read.ts"
import type { DeskError } from "../client/desk-error.ts"

const EVERY_MS = 10_000
/** How often the figures are read while the desk is still checking Work. */
const INCOMPLETE_MS = 2_000

const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

/** The figures of the overview, kept current while they are shown. */
export const overviewOptions = queryOptions<Overview, DeskError>({
  queryKey: ["overview"],
  queryFn: ({ signal }) => readDeskJson(`/desk/overview?${new URLSearchParams({ zone: zone() }).toString()}`, signal),
  refetchInterval: ({ state: { data } }) => (data?.complete === false ? INCOMPLETE_MS : EVERY_MS),
})
