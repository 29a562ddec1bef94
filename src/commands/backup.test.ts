import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { cp, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import { verify } from "../desk/record/chain-verification.ts"
import { ada, creation, DecidingDesk, success } from "../desk/record/testing/deciding.ts"
import { databaseForTest, folderForTest } from "../desk/store/testing/stores.ts"
import { call, newKey } from "../service/testing/client.ts"
import { ALICE, serviceForTest } from "../service/testing/test-service.ts"
import { writeBackup } from "./backup.ts"
import { CommandError } from "./command.ts"
import { restoreBackup } from "./restore.ts"
import { runCommand } from "./testing/run-command.ts"

/** Runs `npm run backup` or `npm run restore` on a data folder. */
const command = (name: "backup" | "restore", dataFolder: string, ...args: readonly string[]) =>
  runCommand(name, { DATA_DIR: dataFolder }, args)

/** Restores in this process, and returns the line in which the command would say what is wrong. */
async function refusalOf(dataFolder: string, backup: string): Promise<string> {
  const refusal: unknown = await restoreBackup(backup, dataFolder).catch((error: unknown) => error)
  if (refusal instanceof CommandError) return refusal.message
  throw refusal instanceof Error ? refusal : new Error("the backup was restored")
}

const startService = (dataFolder: string) => serviceForTest({ dataFolder: join(dataFolder, "service") })

/** A DATA_DIR in use: a metronome that writes all the time in the service, and six record rows, a session and a device of push in the desk's store. */
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
  await database.write(
    `INSERT INTO push_device (id, person_id, session_id, browser_id, endpoint, p256dh, auth, label, since)
     VALUES ('device', 'ada', 'a session', 'browser', 'https://push.example', 'p', 'a', 'Firefox', 0)`,
  )
  return { dataFolder, location: String(created.headers.location), database }
}

describe("npm run backup and restore", () => {
  test("copy the data of a running desk and restore them to a folder from which a desk can serve", async () => {
    const { dataFolder, location, database } = await workingDesk()
    // Retention may remove a letter after the backup has found it. A link to no file is found, and cannot be copied.
    await symlink("nowhere", join(dataFolder, "service/outbox/action_removed.txt"))
    const backup = join(await folderForTest(), "backup")
    expect(await command("backup", dataFolder, backup)).toMatchObject({ code: 0, stderr: "" })
    expect((await stat(backup)).mode & 0o777).toBe(0o700)
    expect((await stat(join(backup, "service/service.db"))).mode & 0o777).toBe(0o600)
    // A later change is not in the backup.
    await database.write("DELETE FROM record WHERE sequence > 2")

    const restored = join(await folderForTest(), "restored")
    const ended = await command("restore", restored, backup)
    expect(ended).toMatchObject({ code: 0, stderr: "" })
    expect(ended.stdout).toBe("Restored service/service.db, desk/desk.db.\nEverybody has to sign in again.\n")
    const { url } = await startService(restored)
    expect((await call(url, "GET", location, { token: ALICE })).status).toBe(200)
    const copy = await databaseForTest({ dataFolder: restored, databaseUrl: undefined })
    expect(await verify(copy)).toMatchObject({ rows: 6, faults: [] })
    expect(await copy.read("SELECT id FROM session UNION SELECT id FROM push_device")).toEqual([])
    for (const path of ["desk/desk.db", "service/service.db"]) {
      expect((await stat(join(restored, path))).mode & 0o777, path).toBe(0o600)
    }
  })

  test("leave the sessions of PostgreSQL alone, and do not say that people have to sign in again", async () => {
    const { dataFolder } = await workingDesk()
    const backup = join(await folderForTest(), "backup")
    await writeBackup(dataFolder, backup)
    const environment = {
      DATA_DIR: join(await folderForTest(), "restored"),
      DESK_DATABASE_URL: "postgres://desk@db.invalid/desk",
    }
    const ended = await runCommand("restore", environment, [backup])
    expect(ended).toMatchObject({ code: 0, stderr: "" })
    expect(ended.stdout).toContain("the desk uses PostgreSQL")
    expect(ended.stdout).not.toContain("sign in")
  })

  test("replace an older backup by a complete one, leave no other file beside it, and keep a folder that is no backup", async () => {
    const { dataFolder } = await workingDesk()
    const folder = await folderForTest()
    const backup = join(folder, "backup")
    await writeBackup(dataFolder, backup)
    await writeFile(join(dataFolder, "service/outbox/action_new.txt"), "a letter")
    await writeBackup(dataFolder, backup)
    expect(await readdir(folder)).toEqual(["backup"])
    expect((await readdir(backup, { recursive: true })).toSorted()).toEqual(
      ["backup.json", "desk", "desk/desk.db", "service", "service/outbox", "service/outbox/action_new.txt"].concat(
        "service/service.db",
        "service/token",
      ),
    )
    await expect(writeBackup(dataFolder, dataFolder)).rejects.toThrow("something other than a backup")
    const target = join(await folderForTest(), "backup")
    await writeBackup(dataFolder, target)
    await writeBackup(dataFolder, target)
    await writeFile(join(target, "something"), "of mine")
    await expect(writeBackup(dataFolder, target)).rejects.toThrow("something other than a backup")
    expect(await readFile(join(target, "something"), "utf8")).toBe("of mine")
  })

  test.skipIf(process.platform === "win32")(
    "of a restore that is killed between two files no desk starts, and a restore is possible",
    async () => {
      const { dataFolder } = await workingDesk()
      const [backup, stuck] = [join(await folderForTest(), "backup"), join(await folderForTest(), "stuck")]
      await writeBackup(dataFolder, backup)
      await cp(backup, stuck, { recursive: true })
      // Reading a pipe that nobody writes to never ends.
      const pipe = "service/outbox/pipe"
      await mkdir(join(stuck, "service/outbox"), { recursive: true })
      execFileSync("mkfifo", [join(stuck, pipe)])
      const list = JSON.parse(await readFile(join(backup, "backup.json"), "utf8")) as { sha256: Record<string, string> }
      const { "desk/desk.db": last = "", ...first } = list.sha256
      const order = { ...first, [pipe]: "", "desk/desk.db": last }
      await writeFile(join(stuck, "backup.json"), JSON.stringify({ ...list, sha256: order }))
      const restored = join(await folderForTest(), "restored")
      const env = { ...process.env, DATA_DIR: restored }
      const restoring = spawn(process.execPath, [join(import.meta.dirname, "restore.ts"), stuck], { env })
      await expect.poll(() => existsSync(join(restored, "service/outbox")), { timeout: 15_000 }).toBe(true)
      restoring.kill("SIGKILL")
      await once(restoring, "exit")

      await expect(databaseForTest({ dataFolder: restored, databaseUrl: undefined })).rejects.toThrow("npm run restore")
      expect(await restoreBackup(backup, restored)).toHaveLength(2)
      const copy = await databaseForTest({ dataFolder: restored, databaseUrl: undefined })
      expect(await verify(copy)).toMatchObject({ rows: 6, faults: [] })
      expect((await readdir(restored)).toSorted()).toEqual(["desk", "service"])
    },
  )

  test("refuse a DATA_DIR that is not empty, and change nothing in it", async () => {
    const { dataFolder } = await workingDesk()
    const backup = join(await folderForTest(), "backup")
    await writeBackup(dataFolder, backup)
    const used = await folderForTest()
    await writeFile(join(used, "something"), "of mine")
    expect(await command("restore", used, backup)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^workdesk: DATA_DIR isn't empty.*\n$/) as string,
    })
    expect(await readdir(used)).toEqual(["something"])
  })

  test.each<[string, (backup: string) => Promise<unknown>, string]>([
    ["a list that is cut", (backup) => truncate(join(backup, "backup.json"), 100), "backup.json is missing or damaged"],
    ["a database that is cut", (backup) => truncate(join(backup, "desk/desk.db"), 5000), "desk/desk.db is damaged"],
    [
      "a database that was changed",
      async (backup) => {
        const database = new DatabaseSync(join(backup, "desk/desk.db"))
        database.exec("DELETE FROM session")
        database.close()
      },
      "desk/desk.db is damaged",
    ],
    ["a missing file", (backup) => rm(join(backup, "service/service.db")), "service/service.db can't be restored"],
    [
      "a name outside of DATA_DIR",
      async (backup) => {
        await writeFile(join(backup, "..", "outside"), "")
        const list = await readFile(join(backup, "backup.json"), "utf8")
        await writeFile(join(backup, "backup.json"), list.replace("desk/desk.db", "../outside"))
      },
      "backup.json is missing or damaged",
    ],
  ])("refuse a backup with %s, and leave DATA_DIR empty", async (_, damage, reason) => {
    const { dataFolder } = await workingDesk()
    const folder = await folderForTest()
    const backup = join(folder, "backup")
    await writeBackup(dataFolder, backup)
    await damage(backup)
    const target = join(folder, "below", "target")
    await mkdir(target, { recursive: true })
    expect(await refusalOf(target, backup)).toContain(reason)
    expect(await readdir(join(folder, "below"), { recursive: true })).toEqual(["target"])
  })

  test("say in one line what is missing or wrong", async () => {
    const empty = await folderForTest()
    const file = join(await folderForTest(), "file")
    await writeFile(file, "a text")
    expect(await refusalOf(file, empty)).toMatch(/^DATA_DIR can't be read [^\n]+$/)
    expect(await refusalOf(join(file, "below"), empty)).toMatch(/^backup.json is missing or damaged [^\n]+$/)
    expect(await refusalOf(join(empty, "new"), empty)).toMatch(/^backup.json is missing or damaged [^\n]+$/)
    expect(await refusalOf(empty, file)).toBe(
      "file is a file, not a folder. To restore a single-file backup, use the version of Workdesk that wrote it",
    )
    expect(await refusalOf(empty, join(empty, "nothing"))).toBe("there is no folder with this name")
    expect(await command("backup", empty, join(empty, "backup"))).toMatchObject({
      code: 1,
      stderr: "workdesk: DATA_DIR has no data to copy\n",
    })
    for (const args of [[], ["one", "two"], ["-folder"]]) {
      expect(await command("backup", empty, ...args)).toMatchObject({ code: 2 })
      expect(await command("restore", empty, ...args)).toMatchObject({ code: 2 })
    }
  })
})
