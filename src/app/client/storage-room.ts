/**
 * Each stored text begins with a header that can be read without the kind of the entry: the version, when the text was written, when it is
 * forgotten (ms since 1970), and whether it may be removed to make room.
 */
export type Header = {
  readonly version: number
  /** 0 where a newer value could not be kept. */
  readonly writtenAt: number
  readonly forgetAt: number
  readonly mayGo: boolean
  /** How many characters the header has. */
  readonly length: number
}

export type StoredEntry = { readonly name: string; readonly characters: number; readonly header: Header | undefined }

/** The header of a stored text; undefined where there is none. */
export function readHeader(text: string | null | undefined): Header | undefined {
  const found = /^(\d+) (\d+) (\d+) ([01]) /.exec(text ?? "")
  if (found === null) return undefined
  const [length = "", version, writtenAt, forgetAt, mayGo] = found
  return {
    version: Number(version),
    writtenAt: Number(writtenAt),
    forgetAt: Number(forgetAt),
    mayGo: mayGo === "1",
    length: length.length,
  }
}

/** The header as it is stored before the text of a value. */
export function writeHeader({ version, writtenAt, forgetAt, mayGo }: Omit<Header, "length">): string {
  return `${[version, writtenAt, forgetAt, mayGo ? 1 : 0].join(" ")} `
}

/** The stored entries whose names begin with `prefix`. */
export function entriesBelow(storage: Storage | undefined, prefix: string): readonly StoredEntry[] {
  if (storage === undefined) return []
  return Object.keys(storage)
    .filter((name) => name.startsWith(prefix))
    .map((name) => {
      const text = storage.getItem(name)
      return { name, characters: name.length + (text?.length ?? 0), header: readHeader(text) }
    })
}

/** Removes the oldest of the `entries` that may be removed. Returns false where there is none. */
export function dropFirst(storage: Storage, entries: readonly StoredEntry[]): boolean {
  const [first] = entries
    .filter(({ header }) => header === undefined || header.mayGo)
    .sort((a, b) => (a.header?.writtenAt ?? 0) - (b.header?.writtenAt ?? 0))
  if (first !== undefined) storage.removeItem(first.name)
  return first !== undefined
}

/** Removes the entries whose time is over and the entries without a header. `now` is in milliseconds since 1970. */
export function forgetOldEntries(storage: Storage, now = Date.now()): void {
  for (const { name, header } of entriesBelow(storage, "workdesk/"))
    if (header === undefined || header.forgetAt <= now) storage.removeItem(name)
}
