/**
 * A map of at most `most` entries, which forgets what was not used lately and keeps at least the half that was used last. It has no exact order of the
 * last uses: to move an entry at each use costs more than the rest of counting a request.
 */
export class RecentlyUsed<Value extends object> {
  readonly #half: number
  #recent = new Map<string, Value>()
  #older = new Map<string, Value>()

  constructor(most: number) {
    this.#half = Math.floor(most / 2)
  }

  get(key: string): Value | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const older = this.#older.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: string, value: Value): void {
    if (this.#recent.size >= this.#half && !this.#recent.has(key)) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
  }

  delete(key: string): void {
    this.#recent.delete(key)
    this.#older.delete(key)
  }
}
