/** A Storage that holds at most `room.characters` characters. Vitest runs in Node, which has no Storage. */
export function createLimitedStorage(room: { characters: number }): Storage {
  const entries: Record<string, string> = {}
  const used = () => Object.entries(entries).reduce((sum, [name, text]) => sum + name.length + text.length, 0)
  const methods = {
    getItem: (name: string) => entries[name] ?? null,
    setItem: (name: string, text: string) => {
      const before = Object.hasOwn(entries, name) ? name.length + (entries[name]?.length ?? 0) : 0
      if (used() - before + name.length + text.length > room.characters)
        throw new DOMException("The quota has been exceeded.", "QuotaExceededError")
      entries[name] = text
    },
    removeItem: (name: string) => {
      delete entries[name]
    },
  }
  for (const [name, method] of Object.entries(methods)) Object.defineProperty(entries, name, { value: method })
  return entries as unknown as Storage
}
