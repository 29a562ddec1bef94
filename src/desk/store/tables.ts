/**
 * Reads rows of the store by a schema, and stores rows. SQL names a column `work_id`, a row in the code has it as `workId`: a schema and a row
 * to store use the code's names. A missing value is NULL in SQL and `undefined` in the code: `optional` and `insert` convert it.
 */
import * as v from "valibot"
import type { Reader, Statements, Value } from "./database.ts"

/** A row to store. */
type NewRow = Readonly<Record<string, Value | undefined>>

const PAGE_ROWS = 100

/** A column that may be NULL, which is read as undefined. */
export function optional<Output>(column: v.GenericSchema<unknown, Output>) {
  return v.pipe(
    v.nullable(column),
    v.transform((value) => value ?? undefined),
  )
}

/** Reads the rows that `sql` chooses. Throws when a row does not fit `schema`, which is a fault of the desk. @throws StoreUnavailableError */
export async function select<Output>(
  { read }: Reader,
  schema: v.GenericSchema<unknown, Output>,
  sql: string,
  ...values: readonly Value[]
): Promise<readonly Output[]> {
  const rows = await read(sql, ...values)
  return rows.map((row) => {
    const named: Record<string, Value> = {}
    for (const column in row) named[toMember(column)] = row[column] ?? null
    const found = v.safeParse(schema, named)
    if (found.success) return found.output
    // Only the path of the issue: valibot's message would put the value into the log.
    throw new TypeError(`a row is not as its schema says: ${v.getDotPath(found.issues[0]) ?? ""}`)
  })
}

/**
 * Reads rows in pages, because SQLite blocks during a read. `sql` ends with ORDER BY. `valuesAfter` returns the values of the `?` in `sql` for the
 * page that follows the row `last`; undefined for the first page.
 */
export async function* selectInPages<Output>(
  reader: Reader,
  schema: v.GenericSchema<unknown, Output>,
  sql: string,
  valuesAfter: (last: Output | undefined) => readonly Value[],
): AsyncGenerator<Output> {
  let last: Output | undefined
  for (;;) {
    const page = await select(reader, schema, `${sql} LIMIT ${PAGE_ROWS}`, ...valuesAfter(last))
    yield* page
    if (page.length < PAGE_ROWS) return
    last = page.at(-1)
  }
}

/** SQL: a `?` for each value, separated by commas. */
export const placesFor = (values: readonly unknown[]) => values.map(() => "?").join(", ")

/** Splits items for several statements or transactions. */
export function* inChunks<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let begin = 0; begin < items.length; begin += size) yield items.slice(begin, begin + size)
}

/** Stores new rows in one statement. All have the same members. @throws StoreUnavailableError */
export async function insert({ write }: Pick<Statements, "write">, table: string, ...rows: readonly NewRow[]) {
  if (rows.length > 0) await write(insertSql(table, rows), ...valuesOf(rows))
}

/** Stores rows as `insert` does, but updates a row with the same `key`, except for the columns `kept`. @throws StoreUnavailableError */
export async function upsert(
  { write }: Pick<Statements, "write">,
  table: string,
  { key, kept = [] }: { readonly key: readonly string[]; readonly kept?: readonly string[] },
  ...rows: readonly NewRow[]
): Promise<void> {
  if (rows.length === 0) return
  const changed = membersOf(rows).filter((member) => !key.includes(member) && !kept.includes(member))
  const settings = changed.map((member) => `${toColumn(member)} = excluded.${toColumn(member)}`)
  const action = settings.length === 0 ? "NOTHING" : `UPDATE SET ${settings.join(", ")}`
  const sql = `${insertSql(table, rows)} ON CONFLICT (${key.map(toColumn).join(", ")}) DO ${action}`
  await write(sql, ...valuesOf(rows))
}

function insertSql(table: string, rows: readonly NewRow[]): string {
  const columns = membersOf(rows).map(toColumn)
  const places = `(${placesFor(columns)})`
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${rows.map(() => places).join(", ")}`
}

const membersOf = ([first = {}]: readonly NewRow[]) => Object.keys(first)

const valuesOf = (rows: readonly NewRow[]) =>
  rows.flatMap((row) => membersOf(rows).map((member) => row[member] ?? null))

const toColumn = (member: string) => member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const members = new Map<string, string>()

/** The names are kept, because many rows have the same few columns. */
function toMember(column: string): string {
  const known = members.get(column)
  if (known !== undefined) return known
  const member = column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  members.set(column, member)
  return member
}
