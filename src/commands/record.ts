/** `npm run record` checks, writes out and archives the record. It reads the desk's environment, and can run while the desk runs. */
import { once } from "node:events"
import { plural } from "../contract/plural.ts"
import { ArchiveError, archiveRows, toLine, verifyFile } from "../desk/record/record-archive.ts"
import { type Head, readAll, readCheckpoints } from "../desk/record/hash-chain.ts"
import { verify } from "../desk/record/chain-verification.ts"
import { isCalendarDay } from "../platform/calendar-day.ts"
import { openStoreForChanges, openStoreForReading, runAsCommand } from "./command.ts"
import { printReport, readFormat } from "./record-report.ts"
import { beginKey, printKey } from "./heads/key-commands.ts"
import { verifyWithHeads } from "./heads/verify-heads-command.ts"

const USAGE = `Usage:
  npm run record -- verify                        checks the chain; the exit status is 1 if the chain is broken
  npm run record -- verify --head SEQUENCE:HASH   also finds rows removed at the end; SEQUENCE:HASH is the last row in the desk's log
  npm run record -- verify --heads FILE           also compares signed heads that were kept elsewhere, such as in a copy of the log
  npm run record -- verify FILE                   checks an archive file against the record
  npm run --silent record -- export               prints every row as JSON Lines
  npm run --silent record -- report --from DAY --to DAY [--format csv|html]
                                                  prints the report about these days (UTC) and those between; the format is csv if left out
  npm run --silent record -- key                  prints the public half of the key that signs heads of the record
  npm run record -- key --new                     begins another key, when the old one is lost
  npm run record -- archive FILE --before DATE    moves the rows before DATE to a new file; DATE is a date (UTC) or an ISO 8601 time`

function readHead(text: string): Head | undefined {
  const [, sequence, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  return hash === undefined ? undefined : { sequence: Number(sequence), hash }
}

const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** Reads a date, which begins in UTC, or an instant. Returns milliseconds since 1970. */
function readMoment(text: string): number | undefined {
  const [whole = "", day = ""] = INSTANT.exec(text) ?? []
  const moment = Date.parse(whole)
  return isCalendarDay(day) && !Number.isNaN(moment) ? moment : undefined
}

async function verifyRecord(logged: Head | undefined): Promise<number> {
  await using database = await openStoreForReading()
  const { head, rows, faults } = await verify(database, logged)
  const [, ...archives] = await readCheckpoints(database)
  const last = `Last row: ${head.sequence}, hash ${head.hash}`
  return report("record", rows, faults, [last, ...archives.map(formatArchive), ...formatUncompared(archives, logged)])
}

const formatArchive = ({ sequence, hash }: Head) => `An archive ends with row ${sequence}, hash ${hash}.`

/** Says that the record cannot be compared with a row of the log that stands in an archive. */
function formatUncompared(archives: readonly Head[], logged: Head | undefined): readonly string[] {
  const isArchived = logged !== undefined && logged.sequence < (archives.at(-1)?.sequence ?? 0)
  return isArchived ? [`Row ${logged.sequence} is archived: compare its hash with the one in the archive file.`] : []
}

async function verifyArchive(file: string): Promise<number> {
  await using database = await openStoreForReading()
  const { rows, faults } = await verifyFile(file, await readCheckpoints(database))
  return report("archive", rows, faults)
}

/** Prints whether the record or a file is complete. Returns the exit status. */
function report(what: string, rows: number, faults: readonly string[], end: readonly string[] = []): number {
  const isComplete = faults.length === 0
  console.log(
    [...faults, `The ${what} is ${isComplete ? "complete" : "not complete"}: ${plural(rows, "row")}.`, ...end].join(
      "\n",
    ),
  )
  return isComplete ? 0 : 1
}

/** Writes all rows as JSON Lines, oldest first: the hash of a row is the SHA-256 of its line without the member `hash`. */
async function exportRows(): Promise<number> {
  await using database = await openStoreForReading()
  for await (const row of readAll(database)) {
    if (!process.stdout.write(toLine(row))) await once(process.stdout, "drain")
  }
  return 0
}

async function archive(file: string, before: number): Promise<number> {
  await using database = await openStoreForChanges()
  const archived = await archiveRows(database, file, before)
  if (archived === undefined) console.log("No row is old enough, so no file was written.")
  else {
    const { first, last } = archived
    console.log(`Archived rows ${first} to ${last.sequence}.\nLast row: ${last.sequence}, hash ${last.hash}`)
  }
  return 0
}

const options = {
  head: { type: "string" },
  heads: { type: "string" },
  before: { type: "string" },
  new: { type: "boolean" },
  from: { type: "string" },
  to: { type: "string" },
  format: { type: "string" },
} as const

await runAsCommand(
  { usage: USAGE, options, mendable: ArchiveError },
  async (values, command = "", file = "", ...others) => {
    const head = readHead(values.head ?? "")
    const before = readMoment(values.before ?? "")
    const format = readFormat(values.format ?? "csv")
    // The arguments as the usage shows them: the command, FILE, and the names of the options in the order of the alphabet.
    switch ([command, ...(file === "" ? [] : ["FILE"]), ...others, ...Object.keys(values).toSorted()].join(" ")) {
      case "verify":
        return verifyRecord(undefined)
      case "verify head":
        return head === undefined ? "usage" : verifyRecord(head)
      case "verify heads":
        return values.heads === undefined ? "usage" : verifyWithHeads(values.heads)
      case "verify FILE":
        return verifyArchive(file)
      case "key":
        return printKey()
      case "key new":
        return beginKey()
      case "export":
        return exportRows()
      case "report from to":
      case "report format from to":
        return format === undefined ? "usage" : printReport(values.from ?? "", values.to ?? "", format)
      case "archive FILE before":
        return before === undefined ? "usage" : archive(file, before)
      default:
        return "usage"
    }
  },
)
