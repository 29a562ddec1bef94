/**
 * The reads of the first page. `early.ts` sends them while the rest of the app is still loading. Each answer goes to the first request for
 * the same address.
 */
const started = new Map<string, Promise<Response>>()

/** Sends a GET for `path` of this desk, with its query as the app itself writes it. `headers` are those that the app itself would send. */
export function startEarlyRead(path: string, headers: HeadersInit = {}): void {
  const answer = fetch(path, { headers })
  // The request that takes the answer gets the failure. A failure that no request takes is ignored.
  answer.catch(() => undefined)
  started.set(location.origin + path, answer)
}

/** The answer of the early read of `url`, once; undefined where there was no early read. */
export function takeEarlyRead(url: string): Promise<Response> | undefined {
  const answer = started.get(url)
  started.delete(url)
  return answer
}
