import { useQuery } from "@tanstack/react-query"
import { errorFromResponse, unreachable } from "./desk-error.ts"
import { retryInterval } from "./polling.ts"

/** What the proxy tells the app about itself (design, `/desk/session`): no secret, no address. */
export type Session = {
  readonly upstream: string
  readonly colleagues: readonly { readonly id: string; readonly label: string }[]
  readonly version: string
}

async function readSession(): Promise<Session> {
  const response = await fetch("/desk/session").catch((cause: unknown) => {
    throw unreachable(cause)
  })
  if (!response.ok) throw await errorFromResponse(response)
  // Our own proxy's answer, built from the same commit.
  return (await response.json()) as Session
}

/** The session of this desk, read once a page load. */
export function useSession(): Session | undefined {
  return useQuery({ queryKey: ["session"], queryFn: readSession, staleTime: Infinity, refetchInterval: retryInterval })
    .data
}
