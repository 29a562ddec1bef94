import type { DeskError } from "../client/desk-error.ts"
import type { ErrorWords } from "../ui/error-words.ts"

const byStatus: Readonly<Record<number, ErrorWords>> = {
  404: {
    happened: "It is not there any more, or not visible to this account.",
    toDo: "The list above is read again: look whether there is a newer version.",
  },
  409: {
    happened: "It is not available: it has not passed every check of the service.",
    toDo: "The list above is read again: see how it stands.",
  },
  422: {
    happened: "Your organization's data policy blocks this download.",
    toDo: "Ask who owns the policy.",
  },
}

/** Plain words for a download that was refused; undefined where the general ones say it. */
export function downloadWords(error: DeskError): ErrorWords | undefined {
  return error.kind === "problem" ? byStatus[error.status ?? 0] : undefined
}
