/** `npm run freeze` freezes the desk or a colleague, and ends a freeze. It reads the desk's environment, and can run while the desk runs. */
import { randomUUID } from "node:crypto"
import * as v from "valibot"
import { FREEZE_REASON_MAX } from "../contract/desk-work.ts"
import { freeze, freezeReason, isKnownColleague, operator, unfreeze } from "../desk/record/freezes.ts"
import { CommandError, openStoreForChanges, runAsCommand, unmarkId } from "./command.ts"

const USAGE = `Usage:
  npm run freeze -- on "REASON" [--colleague ID]   stops all approvals and new Work at every desk, or only those of one colleague
  npm run freeze -- off [--colleague ID]           ends the freeze

REASON has 1 to ${FREEZE_REASON_MAX} characters. Everybody at the desk can read it.`

const options = { colleague: { type: "string" } } as const

await runAsCommand({ usage: USAGE, options }, async (values, command, reason, ...others) => {
  const colleague = values.colleague === undefined ? null : unmarkId(values.colleague)
  const isOn = command === "on" && reason !== undefined
  const isOff = command === "off" && reason === undefined
  if (others.length > 0 || colleague === "" || !(isOn || isOff)) return "usage"
  const given = v.safeParse(freezeReason, reason)
  if (isOn && !given.success) throw new CommandError(`The reason must have 1 to ${FREEZE_REASON_MAX} characters`)
  await using database = await openStoreForChanges()
  const store = { database }
  if (given.success) {
    await freeze(store, operator, { colleague, reason: given.output }, randomUUID())
    const isKnown = colleague === null || (await isKnownColleague(database, colleague))
    console.log(isKnown ? "Frozen." : "Frozen, but the desk hasn't seen any Work by this colleague. Check the id.")
  } else if (!(await unfreeze(store, operator, colleague, randomUUID()))) {
    throw new CommandError("There is no such freeze")
  } else console.log("The freeze has ended.")
  return 0
})
