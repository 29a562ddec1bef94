import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openDatabase } from "../store/open-store.ts"
import { databaseForTest, folderForTest } from "../store/testing/stores.ts"
import { forgetPerson } from "./administration.ts"

test("no file of SQLite holds the address of a person who was forgotten while a desk runs", async () => {
  const where = { dataFolder: await folderForTest(), databaseUrl: undefined }
  const address = "ada.canary@example.com"
  const desk = await databaseForTest(where)
  await desk.write(
    "INSERT INTO person (id, issuer, subject, name, email, member_groups, signed_in_at) VALUES ('ada', 'i', 's', 'Ada', ?, '[]', 0)",
    address,
  )
  const read = async (name: string) => (await readFile(join(where.dataFolder, "desk", name))).toString("latin1")
  expect(await read("desk.db-wal")).toContain(address)
  const command = await openDatabase(where)
  expect(await forgetPerson(command, "ada")).toBe(true)
  await command.close()
  for (const name of ["desk.db", "desk.db-wal"]) expect(await read(name), name).not.toContain(address)
})
