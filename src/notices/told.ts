/** Remembers which steps of which items are in the outbox, so that `due.ts` finds what is due without a read of the store. */

type ItemVersion = { readonly workId: string; readonly itemId: string; readonly version: string }

export class Told {
  /** By Work and by item. The first step of a newer version replaces the older version. */
  readonly #works = new Map<string, Map<string, { readonly version: string; readonly told: ToldItem }>>()
  /** A small number for each recipient: its index in the bytes of `ToldItem`. */
  readonly #numbers = new Map<string, number>()
  /** When each person last chose a mail again after `off`. */
  readonly #chosenAgain = new Map<string, number>()

  /** The number of a recipient in this process. */
  numberOf(recipient: string): number {
    const number = this.#numbers.get(recipient) ?? this.#numbers.size
    this.#numbers.set(recipient, number)
    return number
  }

  /** What was told of this version of an item. */
  of({ workId, itemId, version }: ItemVersion): ToldItem {
    const found = this.#works.get(workId)?.get(itemId)
    return found?.version === version ? found.told : NOTHING
  }

  add({ workId, itemId, version }: ItemVersion, step: string, recipient: string): void {
    const items = this.#works.get(workId) ?? new Map()
    this.#works.set(workId, items)
    if (items.get(itemId)?.version !== version) items.set(itemId, { version, told: new ToldItem() })
    items.get(itemId)?.told.add(step, recipient, this.numberOf(recipient))
  }

  remove(item: ItemVersion, step: string, recipient: string): void {
    this.of(item).remove(step, recipient, this.numberOf(recipient))
  }

  /** Forgets an item that waits no more. */
  forget(workId: string, itemId: string): void {
    const items = this.#works.get(workId)
    items?.delete(itemId)
    if (items?.size === 0) this.#works.delete(workId)
  }

  /** Takes in when a person last chose a mail again after `off`. A later moment than before forgets what the person was told, as the store did. */
  chosenAgain(recipient: string, at: number): void {
    const before = this.#chosenAgain.get(recipient)
    this.#chosenAgain.set(recipient, at)
    const isNewChoice = before !== undefined && at > before
    if (!isNewChoice) return
    const number = this.numberOf(recipient)
    for (const items of this.#works.values()) {
      for (const { told } of items.values()) told.remove("told", recipient, number)
    }
  }
}

const FIRST_SIZE = 64

/** The steps of one version of an item. The step `told` is a byte for each recipient: `due.ts` asks for it of every item and person. */
export class ToldItem {
  #told = new Uint8Array(0)
  readonly #others = new Set<string>()

  isTold(number: number): boolean {
    return this.#told[number] === 1
  }

  has(step: string, recipient: string): boolean {
    return this.#others.has(`${step}\n${recipient}`)
  }

  add(step: string, recipient: string, number: number): void {
    if (step !== "told") return void this.#others.add(`${step}\n${recipient}`)
    if (number >= this.#told.length) {
      const larger = new Uint8Array(Math.max(FIRST_SIZE, 2 ** Math.ceil(Math.log2(number + 1))))
      larger.set(this.#told)
      this.#told = larger
    }
    this.#told[number] = 1
  }

  remove(step: string, recipient: string, number: number): void {
    if (step !== "told") this.#others.delete(`${step}\n${recipient}`)
    else if (number < this.#told.length) this.#told[number] = 0
  }
}

const NOTHING = new ToldItem()
