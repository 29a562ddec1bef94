/**
 * The reads of the first page, sent by `early.ts` while the rest of the app is still on its way. Each answer is given to the first
 * request for the same address.
 */
const started = new Map<string, Promise<Response>>()

/** Sends a GET for `path` of this desk, with its query as the app itself writes it. `headers` are those that the app itself would send. */
export function startEarlyRead(path: string, headers: HeadersInit = {}): void {
  const answer = fetch(path, { headers })
  // Whoever takes the answer meets the failure. Without a taker nobody has to know of it.
  answer.catch(() => undefined)
  started.set(location.origin + path, answer)
}

/** The answer of the early read of `url`, once; undefined where there was no early read. */
export function takeEarlyRead(url: string): Promise<Response> | undefined {
  const answer = started.get(url)
  started.delete(url)
  return answer
}
