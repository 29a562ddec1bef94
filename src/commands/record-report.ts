/** `npm run record -- report` prints the report for a period about the whole record. */
import { once } from "node:events"
import { REPORT_FORMATS, type ReportFormat } from "../contract/desk-work.ts"
import { readPeriod } from "../desk/record/report/report-query.ts"
import { beginReport } from "../desk/record/report/write-report.ts"
import { isRefusal } from "../platform/http/refusals.ts"
import { Refused } from "../platform/http/send.ts"
import { CommandError, openStoreForReading } from "./command.ts"

/** Reads the name of a format. Undefined when there is no such format. */
export const readFormat = (text: string): ReportFormat | undefined => REPORT_FORMATS.find((format) => format === text)

/** Prints the report about the days `from` to `to`. Returns the exit status, 1 if the chain is broken. @throws CommandError */
export async function printReport(from: string, to: string, format: ReportFormat): Promise<number> {
  const period = readPeriod(from, to)
  if (typeof period === "string") throw new CommandError(period)
  await using store = await openStoreForReading()
  let faults: readonly string[] = []
  const everything = { filter: {}, colleague: undefined, choose: undefined, seenBy: undefined }
  const onVerified = (found: readonly string[]) => (faults = found)
  try {
    for await (const part of await beginReport({ ...everything, store, period, format, onVerified })) {
      if (!process.stdout.write(part)) await once(process.stdout, "drain")
    }
  } catch (error) {
    // The exit status shows that the report is incomplete.
    throw error instanceof Refused && isRefusal(error.answer) ? new CommandError(error.answer.detail) : error
  }
  for (const fault of faults) console.error(fault)
  return faults.length === 0 ? 0 : 1
}
