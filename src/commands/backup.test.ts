import { mkdir, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import { verify } from "../record/hash-chain.ts"
import { ada, creation, DecidingDesk, success } from "../record/testing/deciding.ts"
import { databaseForTest, folderForTest } from "../store/testing/stores.ts"
import { call, newKey } from "../service/testing/client.ts"
import { ALICE, deskServiceForTest } from "../service/testing/desk-service.ts"
import { BackupError, restoreBackup, writeBackup } from "./backup/archive.ts"
import { runCommand } from "./testing/run-command.ts"

/** Runs `npm run backup` or `npm run restore` on a data folder. */
const command = (name: "backup" | "restore", dataFolder: string, ...args: readonly string[]) =>
  runCommand(name, { DATA_DIR: dataFolder }, args)

/** Restores in this process, and gives the line in which the command would say what is wrong. */
function refusalOf(dataFolder: string, file: string): string {
  try {
    restoreBackup(file, dataFolder)
  } catch (error) {
    if (error instanceof BackupError) return error.message
    throw error
  }
  throw new Error("the backup was restored")
}

const startService = (dataFolder: string) => deskServiceForTest({ dataFolder: join(dataFolder, "service") })

/** A DATA_DIR in use: a metronome that writes all the time in the service, and six record rows and a session in the desk's store. */
async function workingDesk() {
  const dataFolder = await folderForTest()
  const { url } = await startService(dataFolder)
  const work = { colleague_id: "metronome", objective: "rate=200" }
  const created = await call(url, "POST", "/api/v1/work", { token: ALICE, key: newKey(), body: work })
  expect(created.status).toBe(201)
  const database = await databaseForTest({ dataFolder, databaseUrl: undefined })
  const desk = new DecidingDesk(database)
  for (let turn = 1; turn <= 3; turn++) await desk.send(ada, creation(), success({ id: `work_${turn}` }))
  await database.write(
    "INSERT INTO session (id, person_id, began_at, touched_at) VALUES (?, ?, ?, ?)",
    "a session",
    "ada",
    Date.now(),
    Date.now(),
  )
  return { dataFolder, location: String(created.headers.location), database }
}

describe("npm run backup and restore", () => {
  test("copy the data of a running desk and restore them to a folder from which a desk can serve", async () => {
    const { dataFolder, location, database } = await workingDesk()
    const file = join(await folderForTest(), "backup")
    expect(await command("backup", dataFolder, file)).toMatchObject({ code: 0, stderr: "" })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    // A later change is not in the backup.
    await database.write("DELETE FROM record WHERE sequence > 2")

    const restored = join(await folderForTest(), "restored")
    const ended = await command("restore", restored, file)
    expect(ended).toMatchObject({ code: 0, stderr: "" })
    expect(ended.stdout).toContain("service/service.db")
    const { url } = await startService(restored)
    expect((await call(url, "GET", location, { token: ALICE })).status).toBe(200)
    const copy = await databaseForTest({ dataFolder: restored, databaseUrl: undefined })
    expect(await verify(copy)).toMatchObject({ rows: 6, faults: [] })
    expect(await copy.read("SELECT id FROM session")).toEqual([])
    for (const path of ["desk/desk.db", "service/service.db"]) {
      expect((await stat(join(restored, path))).mode & 0o777, path).toBe(0o600)
    }
  })

  test("replace an older backup by a complete one, and leave no other file beside it", async () => {
    const { dataFolder } = await workingDesk()
    const folder = await folderForTest()
    const file = join(folder, "backup")
    await writeFile(file, "the backup of yesterday")
    await writeBackup(dataFolder, file)
    expect(await readdir(folder)).toEqual(["backup"])
    expect((await readFile(file)).subarray(0, 15).toString()).toBe("SQLite format 3")
  })

  test("refuse a DATA_DIR that is not empty, and change nothing in it", async () => {
    const { dataFolder } = await workingDesk()
    const file = join(await folderForTest(), "backup")
    await writeBackup(dataFolder, file)
    const used = await folderForTest()
    await writeFile(join(used, "something"), "of mine")
    expect(await command("restore", used, file)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^workdesk: DATA_DIR is not empty.*\n$/) as string,
    })
    expect(await readdir(used)).toEqual(["something"])
  })

  test("refuse a file that is no backup, is cut or was changed, and leave DATA_DIR empty", async () => {
    const { dataFolder } = await workingDesk()
    const folder = await folderForTest()
    const file = join(folder, "backup")
    const damages: readonly (() => Promise<void>)[] = [
      () => writeFile(file, "no backup, but a text of some length"),
      async () => truncate(file, Math.floor((await stat(file)).size / 2)),
      async () => edit(file, "UPDATE piece SET content = zeroblob(length(content)) WHERE name = 'desk/desk.db'"),
      async () => edit(file, "UPDATE file SET name = '../outside' WHERE name = 'desk/desk.db'"),
    ]
    for (const [index, damage] of damages.entries()) {
      await writeBackup(dataFolder, file)
      await damage()
      const target = join(folder, `target ${index}`)
      await mkdir(target)
      expect(refusalOf(target, file)).toMatch(/^.+$/)
      expect(await readdir(target)).toEqual([])
    }
    expect(await readdir(folder)).not.toContain("outside")
  })

  test("say in one line what is missing or wrong", async () => {
    const empty = await folderForTest()
    const file = join(await folderForTest(), "file")
    await writeFile(file, "a text")
    for (const [dataFolder, backup] of [
      [file, file],
      [join(empty, "new"), empty],
      [join(file, "below"), file],
    ] as const) {
      expect(refusalOf(dataFolder, backup)).toMatch(/^[^\n]+$/)
    }
    expect(await command("backup", empty, join(empty, "backup"))).toMatchObject({
      code: 1,
      stderr: "workdesk: DATA_DIR holds no data to copy\n",
    })
    expect(await command("backup", empty)).toMatchObject({ code: 1 })
    expect(refusalOf(empty, join(empty, "nothing"))).toBe("there is no such file")
  })
})

function edit(file: string, sql: string): void {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}
