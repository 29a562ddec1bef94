/** Who has signed in at this desk: the table `person`, the names of people, and the list of people for hand-overs and notices. */
import * as v from "valibot"
import type { Reader, Statements, Value } from "../store/database.ts"
import { optional, select, upsert } from "../store/tables.ts"
import type { Identity } from "./access-file.ts"
import { newSecret } from "./cookies.ts"

/** Whether the provider sent the claim that lists groups. A claim that is present may be empty. */
export type GroupsClaim = (typeof GROUPS_CLAIMS)[number]
const GROUPS_CLAIMS = ["absent", "present"] as const

/** Who has just signed in. `groupsClaim` is left out where an older version stored the sign-in. */
export type SignedIn = {
  readonly name: string
  readonly identity: Identity
  readonly groupsClaim?: GroupsClaim | undefined
}

/** Somebody who signed in before, with the name and the identity of their last sign-in. */
export type KnownPerson = SignedIn & {
  readonly id: string
  /** The last sign-in, in milliseconds since 1970. */
  readonly signedInAt: number
}

/** A person who has not signed in for this time is not offered for a hand-over, and gets no notice. */
export const RECENT_MS = 30 * 86_400_000
/** How long the list is cached. A sign-in counts after this time at the latest. */
const CACHED_MS = 2_000

/** Reads the people. They are cached, because every answer to a waiting request may need them. */
export class Directory {
  readonly #store: Reader
  readonly #isOfProvider: (person: KnownPerson) => boolean
  #everybody: ReadonlyMap<string, KnownPerson> = new Map()
  #recent: ReadonlyMap<string, KnownPerson> = new Map()
  #lastRead = "[]"
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  /** `issuer` is OIDC_ISSUER. Undefined in local mode, where nobody signs in. */
  constructor(store: Reader, issuer: string | undefined) {
    this.#store = store
    this.#isOfProvider = ({ identity }) => issuer !== undefined && isSameIssuer(identity.issuer, issuer)
  }

  /** The provider's people who signed in within 30 days, by id: the same map until it changes, at most `maxAgeMs` old. @throws StoreUnavailableError */
  async recent(maxAgeMs = CACHED_MS): Promise<ReadonlyMap<string, KnownPerson>> {
    if (performance.now() - this.#readAt >= maxAgeMs) {
      this.#reading ??= this.#read().finally(() => (this.#reading = undefined))
      await this.#reading
    }
    return this.#recent
  }

  /** Somebody of the present provider who had signed in, however long ago, when `recent` last read the people. */
  find(id: string): KnownPerson | undefined {
    const person = this.#everybody.get(id)
    return person !== undefined && this.#isOfProvider(person) ? person : undefined
  }

  /** The person's name when `recent` last read the people. */
  nameOf(id: string): string {
    return nameOf(id, this.#everybody.get(id)?.name)
  }

  async #read(): Promise<void> {
    const people = await readPeople(this.#store, "")
    const read = JSON.stringify(people)
    const isChanged = read !== this.#lastRead
    if (isChanged) this.#everybody = new Map(people.map((person) => [person.id, person]))
    const since = Date.now() - RECENT_MS
    const recent = [...this.#everybody].filter(([, each]) => each.signedInAt > since && this.#isOfProvider(each))
    if (isChanged || recent.length !== this.#recent.size) this.#recent = new Map(recent)
    this.#lastRead = read
    this.#readAt = performance.now()
  }
}

export const PERSON_COLUMNS = "person.id, name, issuer, subject, email, member_groups, groups_claim, signed_in_at"

/** PERSON_COLUMNS of a row. */
export const personRow = v.object({
  id: v.string(),
  name: v.string(),
  issuer: v.string(),
  subject: v.string(),
  email: optional(v.string()),
  memberGroups: v.pipe(v.string(), v.parseJson(), v.array(v.string())),
  groupsClaim: optional(v.picklist(GROUPS_CLAIMS)),
  signedInAt: v.number(),
})

export function toPerson(row: v.InferOutput<typeof personRow>): KnownPerson {
  const { id, name, issuer, subject, email, memberGroups: groups, groupsClaim, signedInAt } = row
  const identity = { issuer, subject, groups, ...(email === undefined ? {} : { email }) }
  return { id, name, identity, ...(groupsClaim !== undefined && { groupsClaim }), signedInAt }
}

const knownPerson = v.pipe(personRow, v.transform(toPerson))

/** Reads the people that `condition` chooses in SQL. @throws StoreUnavailableError */
export function readPeople(
  store: Reader,
  condition: string,
  ...values: readonly Value[]
): Promise<readonly KnownPerson[]> {
  return select(store, knownPerson, `SELECT ${PERSON_COLUMNS} FROM person ${condition}`, ...values)
}

/** Whether an identity is of the provider of OIDC_ISSUER. A provider may write its address with another slash or letter case than OIDC_ISSUER. */
export function isSameIssuer(issuer: string, configured: string): boolean {
  return URL.parse(issuer)?.href === URL.parse(configured)?.href
}

const FORMER_PERSON = "a former person"

/** In the record, the id of whoever ran a command on the desk's machine. */
export const OPERATOR = "operator"

/** The name for a person's id. `stored` is the name in the table `person`, which has neither these two nor a forgotten person. */
export function nameOf(id: string, stored: string | undefined): string {
  return stored ?? (id === "local" || id === OPERATOR ? id : FORMER_PERSON)
}

/** Stores who has signed in. @returns the person's id */
export async function storePerson(
  statements: Statements,
  { name, identity, groupsClaim }: SignedIn,
  now: number,
): Promise<string> {
  const { issuer, subject, email, groups } = identity
  const memberGroups = JSON.stringify(groups)
  const row = { id: newSecret(), issuer, subject, name, email, memberGroups, groupsClaim, signedInAt: now }
  await upsert(statements, "person", { key: ["issuer", "subject"], kept: ["id"] }, row)
  const [person] = await readPeople(statements, "WHERE issuer = ? AND subject = ?", issuer, subject)
  return person?.id ?? row.id
}
