/** The desk's store on PostgreSQL. */
import { type ClientConfig, Pool, type PoolClient, types } from "pg"
import { loadOnce } from "../../platform/load-once.ts"
import {
  type Database,
  type Lock,
  type OnStoreCall,
  UNSYNCED_LOCKS,
  type ReadOnlyDatabase,
  type Row,
  type Statements,
  storable,
  StoreUnavailableError,
  type Topic,
  type Value,
} from "./database.ts"
import { FairQueue } from "./fair-queue.ts"
import { measureCalls, type MeasureCall } from "./measured-calls.ts"
import { DeskClient } from "./postgres-client.ts"
import { MisconfiguredError, nameOfStatement, toConfigurationError, toStoreError } from "./postgres-errors.ts"
import { PostgresMessages } from "./postgres-messages.ts"
import { forPostgres, migrate } from "./desk-schema.ts"

const CONNECT_MS = 3_000
const STATEMENT_MS = 5_000
/** Less than STATEMENT_MS, so that the server reports the lock that was not free (55P03), and not a slow statement. */
const LOCK_WAIT_MS = 4_000
/** The desk waits this much longer than the server, so that the server ends a slow statement first and the connection can be used again. */
const ANSWER_RESERVE_MS = 1_000
const CONNECTIONS = 10
/** How many statements outside transactions run at once. The other connections are for transactions. */
const STATEMENTS_AT_ONCE = 6
/** The server's value for a statement without a time limit. */
const NO_LIMIT = 0

// An advisory lock is a number of the whole database, which other programs may use too. These numbers are the desk's.
const LOCKS: Readonly<Record<Lock, number>> = {
  schema: 880_640_001,
  record: 880_640_002,
  sessions: 880_640_003,
  views: 880_640_004,
  notices: 880_640_005,
  "sign-ins": 880_640_006,
  seen: 880_640_007,
}

/**
 * Connects to PostgreSQL and migrates its tables, at once or when the server answers. `limitMs`: the time limit of a statement; 0 is none.
 * @throws ConfigurationError when the server refuses the user, password or database of `url`, or has tables of a newer version
 */
export async function openPostgres(url: () => string, limitMs?: number, onCall?: OnStoreCall): Promise<Database> {
  const database = new PostgresDatabase(url, measureCalls(onCall), limitMs)
  try {
    await database.prepare()
  } catch (error) {
    const isAway = error instanceof StoreUnavailableError && !(error instanceof MisconfiguredError)
    if (isAway) return database
    await database.close()
    throw toConfigurationError(error)
  }
  return database
}

/** Connects for reading. Changes nothing, not even tables of an older version. */
export function connectPostgresForReading(url: () => string): ReadOnlyDatabase {
  // A command may read the whole record, so its statements have no time limit.
  const pool = newPool(url, NO_LIMIT)
  return { read: (sql, ...values) => run(pool, sql, values), close: () => pool.end() }
}

function newPool(url: () => string, limitMs: number): Pool {
  const pool = new Pool({
    // Each new connection takes the address that the file has then.
    Client: class extends DeskClient {
      constructor(config: ClientConfig = {}) {
        super(url, config)
      }
    },
    // oxlint-disable-next-line typescript/no-misused-promises -- The types of pg say `void`. The pool of pg 8.23 waits for the promise.
    onConnect: async (client) => {
      await client.query(`SET statement_timeout = ${limitMs}`)
      // A commit is on the disk, whatever the server's setting is or becomes: `off`, `local` and `remote_write` promise less than `on`. Only
      // transactions of UNSYNCED_LOCKS do not wait for that (`beginSql`).
      await client.query(`SELECT set_config('synchronous_commit',
        CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)`)
    },
    ...(limitMs === NO_LIMIT ? {} : { query_timeout: limitMs + ANSWER_RESERVE_MS }),
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    types: { getTypeParser: (type: number, format?: "text" | "binary") => parserOf(type, format) },
  })
  // An idle connection broke. The next statement gets another connection.
  pool.on("error", ignore)
  return pool
}

class PostgresDatabase implements Database {
  readonly isShared = true
  readonly #url: () => string
  readonly #pool: Pool
  readonly #messages: PostgresMessages
  /** Of this desk's transactions with one lock, only the first uses a connection. The others would keep connections from requests without a lock. */
  readonly #queues = new Map<Lock, FairQueue>()
  /** A person's messages leave in their order. On two connections, a later message would overtake an earlier one. */
  readonly #outgoing = new FairQueue(1)
  /** Statements outside transactions. */
  readonly #statements = new FairQueue(STATEMENTS_AT_ONCE)
  readonly #measure: MeasureCall

  constructor(url: () => string, measure: MeasureCall, limitMs = STATEMENT_MS) {
    this.#url = url
    this.#measure = measure
    this.#pool = newPool(url, limitMs)
    this.#messages = new PostgresMessages(url, this.#pool)
  }

  /** Migrates the tables once, and tries again after a failure. Every statement waits for this. */
  readonly prepare = loadOnce(() => this.#migrate())

  readonly read: Statements["read"] = (sql, ...values) => this.#measure("read", () => this.#run(sql, values))

  readonly write: Statements["write"] = (sql, ...values) => this.#measure("write", () => this.#run(sql, values))

  async #run(sql: string, values: readonly Value[]): Promise<readonly Row[]> {
    await this.prepare()
    const deadline = performance.now() + CONNECT_MS
    return this.#statements.add(() => {
      if (performance.now() < deadline) return run(this.#pool, sql, values)
      throw new StoreUnavailableError("PostgreSQL: too many calls are waiting for a connection", "timeout")
    })
  }

  transaction<Result>(lock: Lock, work: (statements: Statements) => Promise<Result>): Promise<Result> {
    return this.#measure("transaction", () => this.#change(lock, work))
  }

  async #change<Result>(lock: Lock, work: (statements: Statements) => Promise<Result>): Promise<Result> {
    await this.prepare()
    const deadline = performance.now() + STATEMENT_MS
    const queue = this.#queues.get(lock) ?? new FairQueue(1)
    this.#queues.set(lock, queue)
    return queue.add(() => {
      if (performance.now() < deadline) return this.#inTransaction(this.#pool, lock, work)
      throw new StoreUnavailableError(`PostgreSQL: too many transactions are waiting for the lock ${lock}`, "timeout")
    })
  }

  readonly connections = () => {
    const { totalCount, idleCount, waitingCount } = this.#pool
    return { inUse: totalCount - idleCount, waiting: waitingCount + this.#statements.waiting }
  }

  async publish(topic: Topic, message: string): Promise<void> {
    await this.prepare()
    const deadline = performance.now() + CONNECT_MS
    return this.#outgoing.add(() => {
      if (performance.now() < deadline) return send("publish", () => this.#messages.publish(topic, message))
      throw new StoreUnavailableError("PostgreSQL: too many messages are waiting", "timeout")
    })
  }

  subscribe(topic: Topic, onMessage: (message: string | undefined) => void): () => void {
    return this.#messages.subscribe(topic, onMessage)
  }

  async close(): Promise<void> {
    await this.#messages.stop()
    await this.#pool.end()
  }

  /** Migrates on a connection without time limits, because a change of a large table takes long. */
  async #migrate(): Promise<void> {
    const pool = newPool(this.#url, NO_LIMIT)
    try {
      await this.#inTransaction(pool, "schema", (statements, client) => {
        const script = async (sql: string) => void (await send("a migration", () => client.query(forPostgres(sql))))
        return migrate(statements, script, "DESK_DATABASE_URL")
      })
    } finally {
      await pool.end()
    }
  }

  async #inTransaction<Result>(
    pool: Pool,
    lock: Lock,
    work: (statements: Statements, client: PoolClient) => Promise<Result>,
  ): Promise<Result> {
    const client = await send("connect", () => pool.connect())
    // Without a listener the error of a connection that breaks between two statements would end the process.
    client.on("error", ignore)
    try {
      await send("BEGIN", () => client.query(beginSql(lock)))
      const query = (sql: string, ...values: readonly Value[]) => run(client, sql, values)
      const result = await work({ read: query, write: query }, client)
      await send("COMMIT", () => client.query("COMMIT"))
      client.off("error", ignore)
      client.release()
      return result
    } catch (error) {
      // Closing the connection ends the transaction in every state.
      client.release(true)
      throw error
    }
  }
}

const ignore = () => undefined

/** Begins a transaction with its lock in one round trip. READ COMMITTED shows what the lock's last holder committed. Time-outs free a stopped desk's lock. */
function beginSql(lock: Lock): string {
  return `BEGIN ISOLATION LEVEL READ COMMITTED;
    SET LOCAL lock_timeout = ${LOCK_WAIT_MS};
    SET LOCAL idle_in_transaction_session_timeout = ${STATEMENT_MS};
    ${UNSYNCED_LOCKS.has(lock) ? "SET LOCAL synchronous_commit = off;" : ""}
    SELECT pg_advisory_xact_lock(${LOCKS[lock]})`
}

/** `statement` names for the log what was sent. */
async function send<Result>(statement: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action()
  } catch (error) {
    throw toStoreError(error, statement)
  }
}

async function run(on: Pool | PoolClient, sql: string, values: readonly Value[]): Promise<readonly Row[]> {
  let count = 0
  const text = sql.replaceAll("?", () => `$${++count}`)
  try {
    const { rows } = await on.query<Row>(text, values.map(storable))
    return rows
  } catch (error) {
    throw toStoreError(error, nameOfStatement(sql))
  }
}

const INT8: number = types.builtins.INT8

function parserOf(type: number, format: "text" | "binary" | undefined): (text: string) => unknown {
  // pg gives a BIGINT as text, because it may not fit a number. The desk's integers fit.
  return type === INT8 ? Number : types.getTypeParser(type, format)
}
