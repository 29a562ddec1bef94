/** The Work that is new to the person (docs/team.md, "Since you were here"). */
import type { NewWork } from "../../contract/desk-work.ts"
import { deskQuery } from "./desk-request.ts"
import { answerWith } from "./value-schema.ts"

const EVERY_MS = 30_000

/** Read while the tab is shown. An older desk answers 404, and then nothing is new. */
export const newsOptions = deskQuery<NewWork>(["news"], "/desk/seen", answerWith<NewWork>("new", "total", "etag"), {
  staleTime: EVERY_MS / 2,
  refetchInterval: ({ state }) => (state.error?.status === 404 ? false : EVERY_MS),
  refetchOnWindowFocus: "always",
})
