/** `npm run people` lists people and their sessions, ends sessions, and forgets people. It reads the desk's environment. */
import type { Access } from "../people/access.ts"
import {
  endSessions,
  findPerson,
  forgetPerson,
  listPeople,
  listSessions,
  type ListedPerson,
} from "../people/administration.ts"
import { rolesOf } from "../people/roles.ts"
import { readPeopleConfiguration } from "../people/sign-in-configuration.ts"
import { openDatabaseForChanges, openDatabaseForReading } from "../store/open.ts"
import { closing, CommandError, printable, readAccess, runAsCommand, storeOf } from "./command.ts"

const USAGE = `Usage:
  npm run people -- list            everybody who signed in: id, name, address, roles, last seen
  npm run people -- sessions        the open sessions: id of the person, name, begin, last seen, end
  npm run people -- end PERSON      ends all sessions of a person, at all desks within 5 s
  npm run people -- forget PERSON   removes name, address, choices and sessions of a person

PERSON is the id that list prints.`

const [command, person, ...others] = process.argv.slice(2)
const { env } = process

async function run(): Promise<number> {
  const needsPerson = command === "end" || command === "forget"
  const isKnown = needsPerson || command === "list" || command === "sessions"
  if (!isKnown || others.length > 0 || needsPerson !== (person !== undefined)) {
    console.error(USAGE)
    return 2
  }
  const configuration = readPeopleConfiguration(env)
  if (configuration.mode === "local") {
    throw new CommandError(
      "OIDC_ISSUER is not set, so nobody signs in at this desk: run this with the desk's environment",
    )
  }
  if (command === "list" || command === "sessions") {
    await using database = closing(await openDatabaseForReading(storeOf(env)))
    if (command === "list") {
      const access = readAccess(configuration.accessFile)
      for (const each of await listPeople(database)) console.log(lineOf(each, access))
      return 0
    }
    for (const { personId, name, beganAt, lastSeenAt, endsAt } of await listSessions(database, configuration)) {
      console.log([personId, printable(name), ...[beganAt, lastSeenAt, endsAt].map(momentOf)].join("\t"))
    }
    return 0
  }
  const id = person ?? ""
  await using database = closing(await openDatabaseForChanges(storeOf(env)))
  const found = await findPerson(database, id)
  const ended = found === undefined ? undefined : await endSessions(database, id)
  if (found === undefined || ended === undefined) throw new CommandError("There is no such person: list prints the ids")
  if (command === "end") console.log(`Ended ${ended} ${ended === 1 ? "session" : "sessions"}.`)
  else {
    await forgetPerson(database, id)
    console.log("Forgotten. The record shows a former person. Rows, logs and archives of before keep what they have.")
  }
  return 0
}

function lineOf({ id, name, identity, lastSeenAt }: ListedPerson, access: Access): string {
  const roles = rolesOf(access, identity).join(", ")
  return [id, printable(name), printable(identity.email ?? "-"), roles || "no role", momentOf(lastSeenAt)].join("\t")
}

const momentOf = (milliseconds: number) => new Date(milliseconds).toISOString()

await runAsCommand(run)
