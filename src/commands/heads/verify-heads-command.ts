/** `npm run record -- verify --heads FILE` compares signed heads that were kept elsewhere with the record. */
import { plural } from "../../contract/plural.ts"
import { verify } from "../../desk/record/chain-verification.ts"
import { HeadsFileError, readNotes } from "../../desk/record/heads/heads-file.ts"
import { verifyHeads } from "../../desk/record/heads/verify-heads.ts"
import { CommandError, openStoreForReading } from "../command.ts"

/** Prints the faults of the chain and of the heads. The exit status is 1 if there is one, or if no head proves anything. */
export async function verifyWithHeads(file: string): Promise<number> {
  await using database = await openStoreForReading()
  // The heads first: a file that can't be used must not wait for a long chain.
  const { faults, remarks, proven, newest } = await verifyHeads(database, readNotes(file)).catch((error: unknown) => {
    throw error instanceof HeadsFileError ? new CommandError(error.message) : error
  })
  const chain = await verify(database)
  const isGood = faults.length === 0 && chain.faults.length === 0 && proven > 0
  const lines = [
    ...chain.faults,
    ...faults,
    ...remarks,
    `${plural(proven, "head")} found in the record, signed by its key.`,
  ]
  if (isGood && newest !== undefined) {
    const { head, signedAt } = newest
    lines.push(
      `Nothing up to row ${head.sequence} has changed since that row's head was signed${formatTime(signedAt)}.`,
    )
  } else
    lines.push(proven === 0 ? "The heads prove nothing about this record." : "The record doesn't agree with its heads.")
  console.log(lines.join("\n"))
  return isGood ? 0 : 1
}

/** The time of an extension line, if it is one that a desk writes. */
function formatTime(time: string | undefined): string {
  return time !== undefined && /^[\d:.TZ-]{20,30}$/.test(time) ? ` (${time})` : ""
}
