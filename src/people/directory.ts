/** Who has signed in at this desk: the table `person`, and the list of people for hand-overs and notices. */
import * as v from "valibot"
import type { Reader, Row, Statements } from "../store/database.ts"
import type { Identity } from "./access.ts"
import { newSecret } from "./cookies.ts"

/** Who has just signed in. */
export type SignedIn = { readonly name: string; readonly identity: Identity }

/** Somebody who signed in before, with the name and the identity of their last sign-in. */
export type KnownPerson = SignedIn & {
  readonly id: string
  /** The last sign-in, in milliseconds since 1970. */
  readonly signedInAt: number
}

/** A person who has not signed in for this time is not offered for a hand-over, and gets no notice. */
const RECENT_MS = 30 * 86_400_000
/** How long the list is cached. A sign-in counts after this time at the latest. */
const CACHED_MS = 2_000

/** Reads the people who signed in within the last 30 days. The list is cached, because every answer to a waiting request may need it. */
export class Directory {
  readonly #store: Reader
  #people: ReadonlyMap<string, KnownPerson> = new Map()
  #lastRows = "[]"
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(store: Reader) {
    this.#store = store
  }

  /** The people by id: the same map until somebody signs in, at most `maxAgeMs` old. @throws StoreUnavailableError */
  async recent(maxAgeMs = CACHED_MS): Promise<ReadonlyMap<string, KnownPerson>> {
    if (performance.now() - this.#readAt >= maxAgeMs) {
      this.#reading ??= this.#read().finally(() => (this.#reading = undefined))
      await this.#reading
    }
    return this.#people
  }

  async #read(): Promise<void> {
    const rows = await this.#store.read(
      `SELECT ${PERSON_COLUMNS} FROM person WHERE signed_in_at > ?`,
      Date.now() - RECENT_MS,
    )
    const newRows = JSON.stringify(rows)
    if (newRows !== this.#lastRows) this.#people = new Map(rows.map((row) => [String(row["id"]), toPerson(row)]))
    this.#lastRows = newRows
    this.#readAt = performance.now()
  }
}

/** The columns of a person that `toPerson` reads. */
export const PERSON_COLUMNS = "person.id, name, issuer, subject, email, member_groups, signed_in_at"

const groupsColumn = v.pipe(v.string(), v.parseJson(), v.array(v.string()))

/** Reads a row of the table `person`. */
export function toPerson(row: Row): KnownPerson {
  const { id, name, issuer, subject, email, member_groups, signed_in_at } = row
  return {
    id: String(id),
    name: String(name),
    identity: {
      issuer: String(issuer),
      subject: String(subject),
      groups: v.parse(groupsColumn, member_groups),
      ...(typeof email === "string" ? { email } : {}),
    },
    signedInAt: Number(signed_in_at),
  }
}

/** Stores who has signed in. @returns the person's id */
export async function storePerson({ write }: Statements, { name, identity }: SignedIn, now: number): Promise<string> {
  const { issuer, subject, email, groups } = identity
  const values = [newSecret(), issuer, subject, name, email ?? null, JSON.stringify(groups), now]
  const [person] = await write(
    `INSERT INTO person (id, issuer, subject, name, email, member_groups, signed_in_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (issuer, subject) DO UPDATE SET name = excluded.name, email = excluded.email,
       member_groups = excluded.member_groups, signed_in_at = excluded.signed_in_at
     RETURNING id`,
    ...values,
  )
  return String(person?.["id"])
}
