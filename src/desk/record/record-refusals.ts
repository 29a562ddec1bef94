/** The refusals of what reads the record: the list, its export and its reports. */
import { pluralForm } from "../../contract/plural.ts"
import { refusal, STORE_RETRY_SECONDS } from "../../platform/http/refusals.ts"

export const recordIncomplete = refusal(
  503,
  "PROXY_RECORD_INCOMPLETE",
  "The desk couldn't check which Work you can see, so the record would be incomplete. Try again in a moment.",
  { title: "The record is incomplete", retryable: true, retryAfterSeconds: STORE_RETRY_SECONDS },
)

/** Somebody has edited a row, so that it isn't valid. */
export const rowUnreadable = (sequence: number) =>
  refusal(
    500,
    "PROXY_RECORD_UNREADABLE",
    `Row ${sequence} of the record can't be read. Ask the operator to verify it.`,
    {
      title: "The record can't be read",
    },
  )

/** An archive of the record. */
export type Archive = {
  /** The sequence of its last row, and when that row was written, as ISO 8601. */
  readonly sequence: number
  readonly lastAt: string
}

/** The period of a report contains rows of archives. */
export function recordArchived(archives: readonly Archive[]) {
  const ends = archives.map(({ sequence, lastAt }) => `row ${sequence} of ${lastAt.slice(0, "2026-01-31".length)}`)
  const files = pluralForm(archives.length, "the archive that ends with", "the archives that end with")
  return refusal(
    410,
    "PROXY_RECORD_ARCHIVED",
    `A part of this period is in ${files} ${ends.join(", ")}. Choose a later first day.`,
    {
      title: "Archived",
    },
  )
}

const REPORT_RETRY_SECONDS = 10

/** The people whose reports are being written. */
export const reportsBusy = (of: "person" | "desk") =>
  refusal(
    503,
    "PROXY_REPORTS_BUSY",
    of === "person"
      ? "Your last report is still being written. Try again when it is complete."
      : "Other people's reports are being written. Try again in a moment.",
    { title: "A report is in progress", retryable: true, retryAfterSeconds: REPORT_RETRY_SECONDS },
  )
