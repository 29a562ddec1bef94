/**
 * The reads of the first page. `early.ts` sends them while the rest of the app is still loading. Each answer goes to the first request for
 * the same address.
 */
type EarlyRead = { readonly answer: Promise<Response>; text?: string }

const started = new Map<string, EarlyRead>()

/**
 * An answer whose whole body has arrived. `text()` of a browser's own Response resolves in a later task, and the browser could paint an
 * empty page before it.
 */
class WholeResponse extends Response {
  readonly #text: string

  constructor(text: string, { status, headers }: Response) {
    super(text, { status, headers })
    this.#text = text
  }

  override text(): Promise<string> {
    return Promise.resolve(this.#text)
  }

  override async json(): Promise<unknown> {
    return JSON.parse(this.#text)
  }
}

/** Sends a GET for `path` of this desk, with its query as the app itself writes it. `headers` are those that the app itself would send. */
export function startEarlyRead(path: string, headers: HeadersInit = {}): void {
  const read: EarlyRead = {
    answer: fetch(path, { headers }).then(async (response) => {
      if (!response.ok) return response
      read.text = await response.text()
      return new WholeResponse(read.text, response)
    }),
  }
  // The request that takes the answer gets the failure. A failure that no request takes is ignored.
  read.answer.catch(() => undefined)
  started.set(location.origin + path, read)
}

/** The answer of the early read of `url`, once; undefined where there was no early read. */
export function takeEarlyRead(url: string): Promise<Response> | undefined {
  const read = started.get(url)
  started.delete(url)
  return read?.answer
}

/** The text of the early read of `path`; undefined before it has arrived. The answer can still be taken. */
export function arrivedText(path: string): string | undefined {
  return started.get(location.origin + path)?.text
}
