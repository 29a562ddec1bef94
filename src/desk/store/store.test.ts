import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Client } from "pg"
import { beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { ConfigurationError } from "../../platform/configuration-error.ts"
import { PostgresServer, refuseClosedFolder } from "./testing/postgres.ts"
import { databaseForTest, describeStores, folderForTest } from "./testing/stores.ts"
import { RereadFiles } from "../../platform/reread-files.ts"
import { asCaller, nameCaller } from "./event-loop-share.ts"
import { type Reader, type Row, StoreUnavailableError } from "./database.ts"
import { openDatabase, openDatabaseForReading, readDatabaseUrl } from "./open-store.ts"

const INSERT = "INSERT INTO saved_views (person_id, views) VALUES (?, ?)"
const SELECT = "SELECT views FROM saved_views WHERE person_id = ?"

describeStores("the store", ({ newStore }) => {
  test("keeps what was written, over a new start", async () => {
    const where = await newStore()
    const first = await openDatabase(where)
    await first.write(INSERT, "ada", "[]")
    await first.close()
    const second = await databaseForTest(where)
    expect(await second.read(SELECT, "ada")).toEqual([{ views: "[]" }])
  })

  test("syncs no change of a sign-in under way, and every other change", async () => {
    const where = await newStore()
    const database = await databaseForTest(where)
    const isSqlite = where.databaseUrl === undefined
    const setting = isSqlite ? "PRAGMA synchronous" : "SHOW synchronous_commit"
    const [unsynced, synced] = isSqlite ? [1, 2] : ["off", "on"]
    const inTransaction = (lock: "record" | "sign-ins") => database.transaction(lock, ({ read }) => read(setting))
    const valueOf = ([row]: readonly Row[]) => Object.values(row ?? {})[0]
    expect(valueOf(await inTransaction("sign-ins"))).toBe(unsynced)
    expect(valueOf(await inTransaction("record"))).toBe(synced)
  })

  test("gives the rows of RETURNING, with numbers as numbers", async () => {
    const database = await databaseForTest(await newStore())
    const expires = Date.now()
    await database.write("INSERT INTO sign_in (id, sealed, expires_at) VALUES (?, ?, ?)", "a", "s", expires)
    const taken = "DELETE FROM sign_in WHERE id = ? RETURNING sealed, expires_at"
    expect(await database.write(taken, "a")).toEqual([{ sealed: "s", expires_at: expires }])
    expect(await database.write(taken, "a")).toEqual([])
  })

  test("changes nothing when a transaction fails", async () => {
    const database = await databaseForTest(await newStore())
    const failing = database.transaction("views", async ({ write }) => {
      await write(INSERT, "ada", "[]")
      throw new Error("on purpose")
    })
    await expect(failing).rejects.toThrow("on purpose")
    expect(await database.read(SELECT, "ada")).toEqual([])
  })

  test("shows nobody the rows of a transaction that has not ended", async () => {
    const database = await databaseForTest(await newStore())
    await database.transaction("views", async ({ write, read }) => {
      await write(INSERT, "ada", "[]")
      expect(await read(SELECT, "ada")).toEqual([{ views: "[]" }])
      expect(await database.read(SELECT, "ada")).toEqual([])
    })
    expect(await database.read(SELECT, "ada")).toEqual([{ views: "[]" }])
  })

  test("loses no increment of two processes under the same lock", async () => {
    const where = await newStore()
    const desks = [await databaseForTest(where), await databaseForTest(where)]
    await desks[0]?.write(INSERT, "counter", "0")
    const count = (desk: (typeof desks)[number]) =>
      desk.transaction("views", async ({ read, write }) => {
        const [row] = await read(SELECT, "counter")
        await write(
          "UPDATE saved_views SET views = ? WHERE person_id = ?",
          String(Number(row?.["views"]) + 1),
          "counter",
        )
      })
    await Promise.all(Array.from({ length: 10 }, () => desks.map(count)).flat())
    expect(await desks[1]?.read(SELECT, "counter")).toEqual([{ views: "20" }])
  })

  test("lets callers take turns, so that one person's many changes and reads hold up nobody else", async () => {
    const database = await databaseForTest(await newStore())
    const order: string[] = []
    const ask = (person: string, kind: "change" | "read") =>
      asCaller(async () => {
        nameCaller(person)
        if (kind === "read") await database.read("SELECT 1 AS one")
        else await database.transaction("record", async ({ read }) => void (await read("SELECT 1 AS one")))
        order.push(person)
      })
    // SQLite reads at once without a queue; `EventLoopShare` makes these reads fair.
    for (const kind of database.isShared ? (["change", "read"] as const) : (["change"] as const)) {
      order.length = 0
      await Promise.all([...Array.from({ length: 100 }, () => ask("ada", kind)), ask("ben", kind), ask("cleo", kind)])
      // Some of Ada's are already under way when Ben asks.
      expect(Math.max(order.indexOf("ben"), order.indexOf("cleo")), kind).toBeLessThan(20)
    }
  })

  test("holds any text: characters that PostgreSQL refuses are written and found as U+FFFD", async () => {
    const database = await databaseForTest(await newStore())
    const hostile = "a\0b\u{d800}c? ' $1"
    await database.write(INSERT, hostile, "x")
    expect(await database.read("SELECT person_id FROM saved_views WHERE person_id = ?", hostile)).toEqual([
      { person_id: "a\u{FFFD}b\u{FFFD}c? ' $1" },
    ])
  })

  test("tells a wrong statement from a store that is away", async () => {
    const database = await databaseForTest(await newStore())
    await expect(database.read("SELECT nothing FROM nowhere")).rejects.not.toBeInstanceOf(StoreUnavailableError)
    await database.write(INSERT, "ada", "[]")
    await expect(database.write(INSERT, "ada", "[]")).rejects.not.toBeInstanceOf(StoreUnavailableError)
  })

  test("opens for two desks that start at once, and refuses data of a newer version", async () => {
    const where = await newStore()
    const [first] = await Promise.all([databaseForTest(where), databaseForTest(where)])
    await first.write("UPDATE schema_version SET version = 999")
    const opening = openDatabase(where)
    await expect(opening).rejects.toBeInstanceOf(ConfigurationError)
    await expect(opening).rejects.toThrow(/^(DATA_DIR|DESK_DATABASE_URL): .*newer version/)
  })
})

describe("PostgreSQL", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
    return () => server.stop()
  })
  const open = (databaseUrl: string) => databaseForTest({ dataFolder: "/unused", databaseUrl })
  const setting = async ({ read }: Reader, name: string) =>
    (await read("SELECT current_setting(?) AS setting", name))[0]?.["setting"]

  test.each([
    ["off", "on"],
    ["local", "on"],
    ["remote_write", "on"],
    ["on", "on"],
    ["remote_apply", "remote_apply"],
  ])("that is set to synchronous_commit=%s gets commits with %s", async (set, used) => {
    const url = await server.newDatabase()
    const name = new URL(url).pathname.slice(1)
    await (await open(url)).write(`ALTER DATABASE ${name} SET synchronous_commit = ${set}`)
    const database = await open(url)
    expect(await setting(database, "synchronous_commit")).toBe(used)
    expect(await database.transaction("record", (statements) => setting(statements, "synchronous_commit"))).toBe(used)
  })

  test("keeps its commits on the disk when the server's setting falls while the desk is connected", async () => {
    const database = await open(await server.newDatabase())
    onTestFinished(async () => {
      await database.write("ALTER SYSTEM RESET synchronous_commit")
      await database.read("SELECT pg_reload_conf()")
    })
    await database.write("ALTER SYSTEM SET synchronous_commit = off")
    await database.read("SELECT pg_reload_conf()")
    // A new connection of another program shows that the server has taken the change.
    const fallen = async () => {
      const other = new Client(await server.newSchema())
      await other.connect()
      const { rows } = await other.query<{ readonly synchronous_commit: string }>("SHOW synchronous_commit")
      await other.end()
      return rows[0]?.synchronous_commit
    }
    await expect.poll(fallen).toBe("off")
    expect(await setting(database, "synchronous_commit")).toBe("on")
  })

  test("with a CA file that is missing ends the start in one line; one that goes missing later heals", async () => {
    const [url, ca] = [new URL(await server.newSchema()), join(await folderForTest(), "ca.pem")]
    url.searchParams.set("sslrootcert", ca)
    const opening = openDatabase({ dataFolder: "/unused", databaseUrl: url.href })
    await expect(opening).rejects.toBeInstanceOf(ConfigurationError)
    await expect(opening).rejects.toThrow(/^DESK_DATABASE_URL: [^/\n]+ can't be used \(ENOENT\)$/)
    const plain = await server.newSchema()
    let address = plain
    const database = await databaseForTest({ dataFolder: "/unused", databaseUrl: () => address })
    const got: unknown[] = []
    database.subscribe("watcher", (message) => got.push(message))
    await expect.poll(() => got).toEqual([undefined])
    const other = await open(plain)
    address = `${plain}&sslrootcert=${join(ca, "missing")}`
    await other.write(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()",
    )
    await expect
      .poll(() => database.read("SELECT 1").catch((error: unknown) => error))
      .toBeInstanceOf(StoreUnavailableError)
    address = plain
    await expect.poll(() => database.read("SELECT 1 AS one").catch(() => [])).toEqual([{ one: 1 }])
    await expect.poll(() => got, { timeout: 10_000 }).toEqual([undefined, undefined])
  })

  test("ends a desk's statement after five seconds, and none of a command", async () => {
    const databaseUrl = await server.newSchema()
    expect(await setting(await open(databaseUrl), "statement_timeout")).toBe("5s")
    const reader = await openDatabaseForReading({ dataFolder: "/unused", databaseUrl })
    onTestFinished(() => reader.close())
    expect(await setting(reader, "statement_timeout")).toBe("0")
  })

  test("answers a request without a lock while a hundred wait for one, and those that waited too long are refused", async () => {
    const url = await server.newDatabase()
    const [other, database] = [await open(url), await open(url)]
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: held, resolve: hold } = Promise.withResolvers<void>()
    const holding = other.transaction("record", () => {
      hold()
      return released
    })
    await held
    const burst = Array.from({ length: 120 }, () => database.transaction("record", async () => undefined))
    let ended = 0
    for (const each of burst) void each.catch(() => undefined).finally(() => (ended += 1))
    for (let turn = 0; turn < 10; turn++) await database.read(SELECT, "ada")
    expect(ended).toBe(0)
    release()
    await holding
    expect((await Promise.allSettled(burst)).every(({ status }) => status === "fulfilled")).toBe(true)
  })

  test("carries a message to the other desks of the same schema, and says when one may be missed", async () => {
    const url = await server.newSchema()
    const [one, other, stranger] = [await open(url), await open(url), await open(await server.newSchema())]
    const got: (readonly [string, string | undefined])[] = []
    for (const [name, desk] of Object.entries({ one, other, stranger })) {
      desk.subscribe("watcher", (message) => got.push([name, message]))
    }
    await expect.poll(() => got.map(([name]) => name).toSorted()).toEqual(["one", "other", "stranger"])
    got.length = 0
    await one.publish("watcher", "hello ' \u{1f342}")
    await one.publish("held", "another topic")
    await expect.poll(() => got).toEqual([["other", "hello ' \u{1f342}"]])
    got.length = 0
    const numbers = Array.from({ length: 200 }, (_, number) => String(number))
    await Promise.all(numbers.map((number) => one.publish("watcher", number)))
    await expect.poll(() => got.map(([, message]) => message), { message: "in the order of sending" }).toEqual(numbers)
    got.length = 0
    await one.write(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' OR query = 'SELECT 1'",
    )
    await expect.poll(() => got).toContainEqual(["other", undefined])
    await one.publish("watcher", "again")
    await expect.poll(() => got).toContainEqual(["other", "again"])
  })
})

describe("DATA_DIR", () => {
  test("is made with a file that only its owner reads, durable in WAL", async () => {
    const folder = join(await folderForTest(), "a", "b")
    const database = await databaseForTest({ dataFolder: folder, databaseUrl: undefined })
    await database.write(INSERT, "ada", "[]")
    expect((await stat(join(folder, "desk"))).mode & 0o777).toBe(0o700)
    for (const name of ["desk.db", "desk.db-wal", "desk.db-shm"]) {
      expect((await stat(join(folder, "desk", name))).mode & 0o777, name).toBe(0o600)
    }
    expect(await database.read("PRAGMA journal_mode")).toEqual([{ journal_mode: "wal" }])
    await database.transaction("views", async ({ read }) => {
      expect(await read("PRAGMA synchronous")).toEqual([{ synchronous: 2 }])
    })
  })

  test("that cannot be written, or holds a corrupt file, ends the start in one line without its value", async () => {
    const folder = await folderForTest()
    await writeFile(join(folder, "file"), "")
    const below = openDatabase({ dataFolder: join(folder, "file", "below"), databaseUrl: undefined })
    await expect(below).rejects.toBeInstanceOf(ConfigurationError)
    await expect(below).rejects.toThrow(/^DATA_DIR can't be written: \w+$/)

    const corrupt = join(folder, "corrupt")
    await mkdir(join(corrupt, "desk"), { recursive: true })
    await writeFile(join(corrupt, "desk", "desk.db"), "this is no database, but a text of some length".repeat(100))
    const before = await readFile(join(corrupt, "desk", "desk.db"))
    await expect(openDatabase({ dataFolder: corrupt, databaseUrl: undefined })).rejects.toThrow(
      /^DATA_DIR can't be used: desk.db: file is not a database$/,
    )
    expect(await readFile(join(corrupt, "desk", "desk.db"))).toEqual(before)
  })

  test("that another process has locked is not available for changes, is read meanwhile, and heals", async () => {
    const dataFolder = await folderForTest()
    const database = await databaseForTest({ dataFolder, databaseUrl: undefined })
    const other = new DatabaseSync(join(dataFolder, "desk", "desk.db"))
    onTestFinished(() => other.close())
    other.exec("BEGIN EXCLUSIVE")
    const began = performance.now()
    const waits: number[] = []
    const refused = ["ada", "ben", "cleo", "dana"].map(async (person) => {
      await expect(database.write(INSERT, person, "[]")).rejects.toBeInstanceOf(StoreUnavailableError)
      waits.push(performance.now() - began)
    })
    expect(await database.read(SELECT, "ada")).toEqual([])
    expect(waits, "reads do not wait").toEqual([])
    await Promise.all(refused)
    expect(Math.max(...waits), "the last waits hardly longer than the first").toBeLessThan(2 * Math.min(...waits))
    other.exec("ROLLBACK")
    await database.write(INSERT, "ada", "[]")
    expect(await database.read(SELECT, "ada")).toEqual([{ views: "[]" }])
  })
})

describe("DESK_DATABASE_URL", () => {
  test.each(["", "desk", "mysql://desk@db.example/desk"])("must name a PostgreSQL: %j", (value) => {
    expect(() => readDatabaseUrl({ DESK_DATABASE_URL: value })).toThrow(/^DESK_DATABASE_URL must/)
  })

  test("is optional", () => {
    expect(readDatabaseUrl({})).toBeUndefined()
    const url = "postgresql://db.example/desk"
    expect(readDatabaseUrl({ DESK_DATABASE_URL: url })?.()).toBe(url)
  })

  test("of the tests cannot start as root in a folder that others cannot enter, and says so at once", async () => {
    const folder = await folderForTest()
    await mkdir(join(folder, "packages"))
    await expect(refuseClosedFolder(join(folder, "packages"))).rejects.toThrow(`no other user can enter ${folder}:`)
    await chmod(folder, 0o711)
    await expect(refuseClosedFolder(join(folder, "packages"))).resolves.toBeUndefined()
  })

  test("of a file is trimmed, is read again, and is the address of new connections", async () => {
    const server = await PostgresServer.start()
    onTestFinished(() => server.stop())
    const path = join(await folderForTest(), "url")
    const [first, second] = [await server.newDatabase(), await server.newDatabase()]
    for (const [databaseUrl, name] of [
      [first, "first"],
      [second, "second"],
    ] as const) {
      const database = await databaseForTest({ dataFolder: "/unused", databaseUrl })
      await database.write(INSERT, "ada", name)
    }
    const env = { DESK_DATABASE_URL_FILE: path }
    expect(() => readDatabaseUrl(env)).toThrow(/^DESK_DATABASE_URL_FILE can't be read$/)
    expect(() => readDatabaseUrl({ ...env, DESK_DATABASE_URL: first })).toThrow(ConfigurationError)
    await writeFile(path, "mysql://db.example")
    expect(() => readDatabaseUrl(env)).toThrow(/^DESK_DATABASE_URL_FILE must be an address/)
    await writeFile(path, `${first}\n`)
    const files = new RereadFiles(20)
    onTestFinished(() => files.stop())
    const database = await databaseForTest({ dataFolder: "/unused", databaseUrl: readDatabaseUrl(env, files) })
    expect(await database.read(SELECT, "ada")).toEqual([{ views: "first" }])
    await writeFile(path, `${second}\n`)
    const end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = pg_backend_pid()"
    const read = async () => {
      await database.read(end).catch(() => undefined)
      return database.read(SELECT, "ada").catch(() => undefined)
    }
    await expect.poll(read, { timeout: 10_000 }).toEqual([{ views: "second" }])
  })

  test("with a password or a database that PostgreSQL refuses ends the start; a server that is away does not, and heals", async () => {
    const server = await PostgresServer.start()
    onTestFinished(() => server.stop())
    const databaseUrl = await server.newDatabase()
    const open = (url: string) => openDatabase({ dataFolder: "/unused", databaseUrl: url })
    for (const wrong of [databaseUrl.replace(":postgres@", ":wrong@"), `${databaseUrl}x`]) {
      const opening = open(wrong)
      await expect(opening).rejects.toBeInstanceOf(ConfigurationError)
      await expect(opening).rejects.toThrow(/^DESK_DATABASE_URL: PostgreSQL refused the connection \((28P01|3D000)\)$/)
    }

    await server.kill()
    const database = await databaseForTest({ dataFolder: "/unused", databaseUrl })
    await expect(database.read(SELECT, "ada")).rejects.toBeInstanceOf(StoreUnavailableError)
    await server.restart()
    await database.write(INSERT, "ada", "[]")
    expect(await database.read(SELECT, "ada")).toEqual([{ views: "[]" }])

    await server.kill()
    // A process of the killed server may live a moment longer.
    await expect
      .poll(() => database.read(SELECT, "ada").catch((error: unknown) => error))
      .toBeInstanceOf(StoreUnavailableError)
    await expect(database.transaction("views", ({ read }) => read(SELECT, "ada"))).rejects.toBeInstanceOf(
      StoreUnavailableError,
    )
    await server.restart()
    expect(await database.read(SELECT, "ada")).toEqual([{ views: "[]" }])
  })
})
