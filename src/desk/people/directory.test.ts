import { expect, test } from "vitest"
import { Directory } from "./directory.ts"
import type { Reader } from "../store/database.ts"
import { signedIn } from "./testing/signed-in.ts"

test("lists the people who signed in within the last 30 days, with their groups", async () => {
  const { database, session, provider } = await signedIn()
  const people = await new Directory(database, provider.issuer).recent()
  expect([...people.values()]).toMatchObject([{ id: session.person.id, name: session.person.name }])
  expect(people.get(session.person.id)?.identity).toEqual(session.identity)
  await database.write("UPDATE person SET signed_in_at = ?", Date.now() - 31 * 86_400_000)
  expect((await new Directory(database, provider.issuer).recent()).size).toBe(0)
})

test("many questions at once read the store once", async () => {
  const { database, provider } = await signedIn()
  let reads = 0
  const counting: Reader = {
    read: (sql, ...values) => {
      reads++
      return database.read(sql, ...values)
    },
  }
  const directory = new Directory(counting, provider.issuer)
  await Promise.all([directory.recent(), directory.recent(), directory.recent()])
  expect(reads).toBe(1)
})
