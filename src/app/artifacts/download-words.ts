import type { DeskError } from "../client/desk-error.ts"
import type { Failure } from "../client/status-meaning.ts"
import type { ErrorWords } from "../ui/error-words.ts"

const byFailure: Readonly<Partial<Record<Failure, ErrorWords>>> = {
  "not-visible": {
    happened: "It is not there any more, or not visible to this account.",
    toDo: "The list above is read again. Check whether it has a newer version.",
  },
  conflict: {
    happened: "It is not available: it has not passed every check of the service.",
    toDo: "The list above is read again and shows its state.",
  },
  blocked: {
    happened: "Your organization's data policy blocks this download.",
    toDo: "Ask who owns the policy.",
  },
}

/** Plain words for a download that was refused; undefined where the general words fit. */
export function downloadWords(error: DeskError): ErrorWords | undefined {
  return error.kind === "problem" ? error.failure && byFailure[error.failure] : undefined
}
