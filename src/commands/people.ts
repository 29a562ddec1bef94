/** `npm run people` lists people and their sessions, ends sessions, and forgets people. It reads the desk's environment. */
import { plural } from "../contract/plural.ts"
import { type Access, rolesOf } from "../desk/people/access-file.ts"
import {
  endSessions,
  forgetPerson,
  type ListedPerson,
  listPeople,
  listSessions,
} from "../desk/people/administration.ts"
import { readPeopleConfiguration } from "../desk/people/sign-in-configuration.ts"
import {
  CommandError,
  openStoreForChanges,
  openStoreForReading,
  printable,
  readAccess,
  runAsCommand,
} from "./command.ts"

const USAGE = `Usage:
  npm run people -- list            lists everybody who has signed in: id, name, address, roles, last seen
  npm run people -- sessions        lists the open sessions: person's id, name, start, last seen, end
  npm run people -- end PERSON      ends all of a person's sessions, at all desks within 5 s
  npm run people -- forget PERSON   removes a person's name, address, settings and sessions

PERSON is an id from list.`

/** Ends the sessions of a person. `forget` also removes the person. */
async function end(id: string, forget: boolean): Promise<void> {
  await using database = await openStoreForChanges()
  const ended = await endSessions(database, id)
  if (ended === undefined)
    throw new CommandError("There is no person with this id. To see the ids: npm run people -- list")
  if (!forget) return console.log(`Ended ${plural(ended, "session")}.`)
  await forgetPerson(database, id)
  console.log(
    "Forgotten. The record now shows “a former person” instead of the name. Existing logs and archives are unchanged.",
  )
}

function lineOf({ id, name, identity, lastSeenAt }: ListedPerson, access: Access): string {
  const roles = rolesOf(access, identity).join(", ")
  return [id, printable(name), printable(identity.email ?? "-"), roles || "no role", momentOf(lastSeenAt)].join("\t")
}

const momentOf = (milliseconds: number) => new Date(milliseconds).toISOString()

await runAsCommand({ usage: USAGE, options: {} }, async (_, command, person, ...others) => {
  // The arguments as the usage shows them. A person's id is shown as PERSON, and any further argument makes them wrong.
  const given = [command, person !== undefined && "PERSON", ...others].filter((part) => part !== false).join(" ")
  if (!["list", "sessions", "end PERSON", "forget PERSON"].includes(given)) return "usage"
  const configuration = readPeopleConfiguration(process.env)
  if (configuration.mode === "local") {
    throw new CommandError("OIDC_ISSUER is not set, so this desk has no sign-in. Run this with the desk's environment")
  }
  if (person !== undefined) {
    await end(person, command === "forget")
    return 0
  }
  await using database = await openStoreForReading()
  if (command === "list") {
    const access = readAccess(configuration.accessFile)
    for (const each of await listPeople(database)) console.log(lineOf(each, access))
    return 0
  }
  for (const { personId, name, beganAt, lastSeenAt, endsAt } of await listSessions(database, configuration))
    console.log([personId, printable(name), ...[beganAt, lastSeenAt, endsAt].map(momentOf)].join("\t"))
  return 0
})
