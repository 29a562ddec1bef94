/** `npm run access` checks an access file, and explains what a person may see and approve. It reads the desk's environment and changes nothing. */
import { readConfiguration } from "../proxy/desk-configuration.ts"
import { openDatabaseForReading } from "../store/open.ts"
import { closing, CommandError, readAccess, runAsCommand, storeOf } from "./command.ts"
import { explain } from "./explain-access.ts"
import { openServiceReader } from "./service-reader.ts"

const USAGE = `Usage:
  npm run access -- check FILE                          reads an access file as the desk does; the exit status is 1 if it has a fault
  npm run access -- explain PERSON [WORK [APPROVAL]]    says which roles a person has and why, whether they see a Work, and whether
                                                        they may approve an approval of it

PERSON is an id of npm run people -- list.`

const [command, subject, work, approval, ...others] = process.argv.slice(2)
const { env } = process

async function run(): Promise<number> {
  const isCheck = command === "check" && work === undefined
  if ((!isCheck && command !== "explain") || subject === undefined || others.length > 0) {
    console.error(USAGE)
    return 2
  }
  if (isCheck) {
    readAccess(subject)
    console.log("The access file is good.")
    return 0
  }
  const configuration = readConfiguration(env)
  if (configuration.people.mode === "local") {
    throw new CommandError("OIDC_ISSUER is not set: one person, local, may see and do everything at this desk")
  }
  const access = readAccess(configuration.people.accessFile)
  await using database = closing(await openDatabaseForReading(storeOf(env)))
  const service = openServiceReader(configuration)
  const asked = { personId: subject, workId: work, approvalId: approval }
  for (const line of await explain(asked, { access, database, limits: configuration.people, service }))
    console.log(line)
  return 0
}

await runAsCommand(run)
