/** Opens stores for tests, on SQLite and on PostgreSQL. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, onTestFinished } from "vitest"
import type { Database } from "../database.ts"
import { openDatabase, type StoreConfiguration } from "../open-store.ts"
import { PostgresServer } from "./postgres.ts"

/** A new folder, removed when the test is over. */
export async function folderForTest(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "workdesk-people-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export type NewStore = StoreConfiguration & { readonly databaseUrl: string | undefined }

export type StoreUnderTest = {
  /** Makes a new, empty store. */
  readonly newStore: () => Promise<NewStore>
}

// The start takes about a second on an idle machine.
const POSTGRES_START_MS = 60_000

/** Runs the same tests on SQLite and on a real PostgreSQL. */
export function describeStores(name: string, tests: (store: StoreUnderTest) => void): void {
  describe(`${name}, on SQLite`, () => {
    tests({ newStore: async () => ({ dataFolder: await folderForTest(), databaseUrl: undefined }) })
  })

  describe(`${name}, on PostgreSQL`, () => {
    let server: PostgresServer
    beforeAll(async () => {
      server = await PostgresServer.start()
    }, POSTGRES_START_MS)
    afterAll(() => server.stop())
    tests({ newStore: async () => ({ dataFolder: "/unused", databaseUrl: await server.newSchema() }) })
  })
}

/** Opens a new, empty store on SQLite. */
export async function sqliteForTest(): Promise<Database> {
  return databaseForTest({ dataFolder: await folderForTest(), databaseUrl: undefined })
}

/** Opens the store, and closes it when the test is over. */
export async function databaseForTest(configuration: StoreConfiguration): Promise<Database> {
  const database = await openDatabase(configuration)
  onTestFinished(() => database.close())
  return database
}

/** The database with some of its functions replaced, so that a test can make them fail or count their calls. */
export function changedDatabase(database: Database, changes: Partial<Database>): Database {
  return {
    isShared: database.isShared,
    read: database.read,
    write: database.write,
    transaction: (lock, work) => database.transaction(lock, work),
    publish: (topic, message) => database.publish(topic, message),
    subscribe: (topic, take) => database.subscribe(topic, take),
    close: () => database.close(),
    ...changes,
  }
}

/** The database, and the statements that are read from it. */
export function readsCounted(database: Database): { readonly database: Database; readonly reads: string[] } {
  const reads: string[] = []
  const read: Database["read"] = (sql, ...values) => {
    reads.push(sql)
    return database.read(sql, ...values)
  }
  return { database: changedDatabase(database, { read }), reads }
}
