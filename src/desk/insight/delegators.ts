/** Who delegated a Work at this desk, by name: for the rows of Work, the filter `Delegated by`, and `GET /desk/delegated`. */
import type { Delegated } from "../../contract/desk-work.ts"
import type { NamedPerson } from "../../contract/desk-people.ts"
import type { Directory } from "../people/directory.ts"
import type { WorkPeople } from "../record/work-people.ts"

/** How many delegators an answer lists for the filter. */
const PEOPLE_MAX = 500

/** Knows nobody in local mode, which has neither people nor directory. */
export class Delegators {
  readonly #people: WorkPeople | undefined
  readonly #directory: Directory | undefined

  constructor(people: WorkPeople | undefined, directory: Directory | undefined) {
    this.#people = people
    this.#directory = directory
  }

  /** Reads the names of people. While the store is away, people keep the names that were read last. */
  async readNames(): Promise<void> {
    await this.#directory?.recent().catch(() => undefined)
  }

  /** Whether a person is known to have delegated a Work. */
  isBy(workId: string, personId: string): boolean {
    return this.#people?.of(workId)?.creators.has(personId) ?? false
  }

  /** Who delegated these Works, by the Work's id. Works without a known delegator are left out. */
  of(workIds: Iterable<string>): Delegated {
    const delegated = new Map<string, NamedPerson>()
    for (const workId of workIds) {
      const [id] = this.#people?.of(workId)?.creators.keys() ?? []
      if (id !== undefined) delegated.set(workId, { id, name: this.#nameOf(id) })
    }
    return Object.fromEntries(delegated)
  }

  /** Everybody who delegated one of these Works, by name. Undefined in local mode. */
  everybody(workIds: Iterable<string>): readonly NamedPerson[] | undefined {
    if (this.#people === undefined) return undefined
    const ids = new Set<string>()
    for (const workId of workIds) for (const id of this.#people.of(workId)?.creators.keys() ?? []) ids.add(id)
    const people = [...ids].map((id) => ({ id, name: this.#nameOf(id) }))
    return people.sort((one, other) => one.name.localeCompare(other.name, "en")).slice(0, PEOPLE_MAX)
  }

  #nameOf(id: string): string {
    return this.#directory?.nameOf(id) ?? id
  }
}
