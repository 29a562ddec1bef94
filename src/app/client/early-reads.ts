/**
 * The reads of the first page, sent by `early.ts` while the rest of the app is still on its way. Each answer is given to the first
 * request for the same address.
 */
const started = new Map<string, Promise<Response>>()

/** An answer that waited longer than this may be stale, and is not given to anybody. */
const FRESH_MS = 10_000

/** Sends a GET for `address`, a path of this desk with its query. `headers` are those that the app itself would send. */
export function startEarlyRead(address: string, headers: Readonly<Record<string, string>> = {}): void {
  const answer = fetch(address, { headers })
  // Whoever takes the answer meets the failure. Without a taker nobody has to know of it.
  answer.catch(() => undefined)
  started.set(address, answer)
}

/** The answer of the early read of `url`, once; undefined where there was no early read. */
export function takeEarlyRead(url: string): Promise<Response> | undefined {
  const { pathname, search } = new URL(url, location.href)
  const answer = started.get(pathname + search)
  started.delete(pathname + search)
  return performance.now() < FRESH_MS ? answer : undefined
}
