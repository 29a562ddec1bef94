/**
 * `npm run record -- verify` checks the hash chain of the record. `npm run record -- export` writes the rows as JSON Lines. Both read the
 * desk's environment and can run while the desk runs.
 */
import { once } from "node:events"
import { ConfigurationError } from "../contract/configuration-error.ts"
import { exportRows, reportChain } from "../record/commands.ts"
import type { Head } from "../record/hash-chain.ts"
import type { ReadOnlyDatabase } from "../store/database.ts"
import { openDatabaseForReading, readDatabaseUrl } from "../store/open.ts"

const USAGE = `Usage:
  npm run record -- verify                        checks the chain; the exit status is 1 if the chain is broken
  npm run record -- verify --head SEQUENCE:HASH   also finds rows cut off at the end, by a last row that the desk has logged
  npm run --silent record -- export               writes every row as JSON Lines`

const [command, option, value, ...others] = process.argv.slice(2)

async function run(): Promise<number> {
  const logged = readHead(value)
  const isVerify = command === "verify" && (option === undefined || (option === "--head" && logged !== undefined))
  const isExport = command === "export" && option === undefined
  if ((!isVerify && !isExport) || others.length > 0) {
    console.error(USAGE)
    return 2
  }
  const { env } = process
  const database = await openDatabaseForReading({
    dataFolder: env["DATA_DIR"] || ".data",
    databaseUrl: readDatabaseUrl(env),
  })
  try {
    return isVerify ? await verify(database, logged) : await writeRows(database)
  } finally {
    await database.close()
  }
}

function readHead(text: string | undefined): Head | undefined {
  const [, sequence, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text ?? "") ?? []
  return hash === undefined ? undefined : { sequence: Number(sequence), hash }
}

async function verify(database: ReadOnlyDatabase, logged: Head | undefined): Promise<number> {
  const { isComplete, lines } = await reportChain(database, logged)
  console.log(lines.join("\n"))
  return isComplete ? 0 : 1
}

async function writeRows(database: ReadOnlyDatabase): Promise<number> {
  for await (const line of exportRows(database)) {
    if (!process.stdout.write(line)) await once(process.stdout, "drain")
  }
  return 0
}

try {
  process.exitCode = await run()
} catch (error) {
  console.error(`workdesk: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
  if (!(error instanceof ConfigurationError)) throw error
}
