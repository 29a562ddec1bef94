/** `npm run record` checks, writes out and archives the record. It reads the desk's environment, and can run while the desk runs. */
import { once } from "node:events"
import { ArchiveError, archiveRows } from "../record/archive.ts"
import { exportRows, reportChain, reportFile } from "../record/commands.ts"
import type { Head } from "../record/hash-chain.ts"
import { openStoreForChanges, openStoreForReading, runAsCommand } from "./command.ts"

const USAGE = `Usage:
  npm run record -- verify                        checks the chain; the exit status is 1 if the chain is broken
  npm run record -- verify --head SEQUENCE:HASH   also finds rows cut off at the end, by a last row that the desk has logged
  npm run record -- verify FILE                   checks a file of archive against the record
  npm run --silent record -- export               writes every row as JSON Lines
  npm run record -- archive FILE --before DATE    moves the rows before a date (UTC) or an ISO 8601 instant to a new file`

function readHead(text: string): Head | undefined {
  const [, sequence, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  return hash === undefined ? undefined : { sequence: Number(sequence), hash }
}

const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** Reads a date, which begins in UTC, or an instant. Gives milliseconds since 1970. */
function readMoment(text: string): number | undefined {
  const [whole = "", day = ""] = INSTANT.exec(text) ?? []
  // JavaScript takes February 30 for March 2.
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day)
  const moment = Date.parse(whole)
  return isDay && !Number.isNaN(moment) ? moment : undefined
}

async function verify(head: Head | undefined): Promise<number> {
  await using database = await openStoreForReading()
  return tell(await reportChain(database, head))
}

async function verifyFile(file: string): Promise<number> {
  await using database = await openStoreForReading()
  return tell(await reportFile(database, file))
}

function tell({ isComplete, lines }: { readonly isComplete: boolean; readonly lines: readonly string[] }): number {
  console.log(lines.join("\n"))
  return isComplete ? 0 : 1
}

async function writeRows(): Promise<number> {
  await using database = await openStoreForReading()
  for await (const line of exportRows(database)) {
    if (!process.stdout.write(line)) await once(process.stdout, "drain")
  }
  return 0
}

async function archive(file: string, before: number): Promise<number> {
  await using database = await openStoreForChanges()
  const archived = await archiveRows(database, file, before)
  if (archived === undefined) console.log("No row is old enough, so there is no file.")
  else {
    const { first, last } = archived
    console.log(`Archived rows ${first} to ${last.sequence}.\nLast row: ${last.sequence}, hash ${last.hash}`)
  }
  return 0
}

const options = { head: { type: "string" }, before: { type: "string" } } as const

await runAsCommand(
  { usage: USAGE, options, mendable: ArchiveError },
  async (values, command = "", file = "", ...others) => {
    const head = readHead(values.head ?? "")
    const before = readMoment(values.before ?? "")
    switch ([command, ...(file === "" ? [] : ["FILE"]), ...others, ...Object.keys(values)].join(" ")) {
      case "verify":
        return verify(undefined)
      case "verify head":
        return head === undefined ? "usage" : verify(head)
      case "verify FILE":
        return verifyFile(file)
      case "export":
        return writeRows()
      case "archive FILE before":
        return before === undefined ? "usage" : archive(file, before)
      default:
        return "usage"
    }
  },
)
