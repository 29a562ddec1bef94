/**
 * `npm run record -- verify` checks the hash chain of the record, `export` writes the rows as JSON Lines, and `archive` moves the oldest rows to
 * a file. They read the desk's environment, and can run while the desk runs.
 */
import { once } from "node:events"
import { parseArgs } from "node:util"
import { ArchiveError, archiveRows } from "../record/archive.ts"
import { exportRows, reportChain, reportFile } from "../record/commands.ts"
import type { Head } from "../record/hash-chain.ts"
import type { Reader } from "../store/database.ts"
import { openDatabaseForChanges, openDatabaseForReading } from "../store/open.ts"
import { closing, runAsCommand, storeOf } from "./command.ts"

const USAGE = `Usage:
  npm run record -- verify                        checks the chain; the exit status is 1 if the chain is broken
  npm run record -- verify --head SEQUENCE:HASH   also finds rows cut off at the end, by a last row that the desk has logged
  npm run record -- verify FILE                   checks a file of archive against the record
  npm run --silent record -- export               writes every row as JSON Lines
  npm run record -- archive FILE --before DATE    moves the rows before a date (UTC) or an ISO 8601 instant to a new file`

/** What the arguments ask for. */
type Asked =
  | { readonly command: "verify"; readonly head: Head | undefined }
  | { readonly command: "verify file"; readonly file: string }
  | { readonly command: "export" }
  | { readonly command: "archive"; readonly file: string; readonly before: number }

function readArguments(): Asked | undefined {
  const { positionals, values } = readOptions()
  const [command, file, ...others] = positionals
  const [head, before] = [readHead(values.head), readMoment(values.before)]
  const hasHead = values.head !== undefined
  const hasBefore = values.before !== undefined
  if (others.length > 0) return undefined
  if (command === "verify" && file === undefined && !hasBefore && (!hasHead || head !== undefined))
    return { command, head }
  if (command === "verify" && file !== undefined && !hasHead && !hasBefore) return { command: "verify file", file }
  if (command === "export" && file === undefined && !hasHead && !hasBefore) return { command }
  if (command === "archive" && file !== undefined && before !== undefined && !hasHead) return { command, file, before }
  return undefined
}

function readOptions() {
  try {
    return parseArgs({ allowPositionals: true, options: { head: { type: "string" }, before: { type: "string" } } })
  } catch {
    return { positionals: [], values: {} }
  }
}

function readHead(text: string | undefined): Head | undefined {
  const [, sequence, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text ?? "") ?? []
  return hash === undefined ? undefined : { sequence: Number(sequence), hash }
}

const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** Reads a date, which begins in UTC, or an instant. Gives milliseconds since 1970. */
function readMoment(text: string | undefined): number | undefined {
  const [whole = "", day = ""] = INSTANT.exec(text ?? "") ?? []
  // JavaScript takes February 30 for March 2.
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day)
  const moment = Date.parse(whole)
  return isDay && !Number.isNaN(moment) ? moment : undefined
}

async function run(): Promise<number> {
  const asked = readArguments()
  if (asked === undefined) {
    console.error(USAGE)
    return 2
  }
  const store = storeOf(process.env)
  if (asked.command === "archive") {
    await using database = closing(await openDatabaseForChanges(store))
    const archived = await archiveRows(database, asked.file, asked.before)
    if (archived === undefined) console.log("No row is old enough, so there is no file.")
    else {
      const { first, last } = archived
      console.log(`Archived rows ${first} to ${last.sequence}.\nLast row: ${last.sequence}, hash ${last.hash}`)
    }
    return 0
  }
  await using database = closing(await openDatabaseForReading(store))
  switch (asked.command) {
    case "verify":
      return tell(await reportChain(database, asked.head))
    case "verify file":
      return tell(await reportFile(database, asked.file))
    case "export":
      return await writeRows(database)
  }
}

function tell({ isComplete, lines }: { readonly isComplete: boolean; readonly lines: readonly string[] }): number {
  console.log(lines.join("\n"))
  return isComplete ? 0 : 1
}

async function writeRows(database: Reader): Promise<number> {
  for await (const line of exportRows(database)) {
    if (!process.stdout.write(line)) await once(process.stdout, "drain")
  }
  return 0
}

await runAsCommand(run, (error) => error instanceof ArchiveError)
