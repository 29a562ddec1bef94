import { QueryClient } from "@tanstack/react-query"
import { DeskError } from "./desk-error.ts"
import { retryInterval } from "./polling.ts"

/**
 * The app's query client. A read without an answer is tried twice more within a second or two. Then, and for every refusal, the error is
 * shown, and `retryInterval` says when to read again. A page reads its data again when it is opened, shown again or online again.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 1_000,
        gcTime: 10 * 60_000,
        networkMode: "always",
        refetchInterval: retryInterval,
        // In a hidden tab TanStack Query delays the second try until the tab is shown, and with it the polling for the counts.
        retry: (failures, error) =>
          !document.hidden && error instanceof DeskError && error.kind === "unreachable" && failures < 2,
        retryDelay: (failures) => 300 * 2 ** failures,
      },
    },
  })
}
