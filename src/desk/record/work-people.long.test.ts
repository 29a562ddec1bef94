import { expect, test } from "vitest"
import { sqliteForTest } from "../store/testing/stores.ts"
import { insert } from "../store/tables.ts"
import { WorkPeople } from "./work-people.ts"

test("of half a million Works, what is asked for again stays in memory, and what is not asked for again leaves it", async () => {
  const database = await sqliteForTest()
  await insert(database, "work_person", { workId: "work_1", personId: "ada", deed: "creator", teams: null })
  const people = new WorkPeople(database)
  await people.refresh(["work_1"])
  for (const part of [1, 2]) {
    await people.refresh(Array.from({ length: 250_000 }, (_, index) => `other_${part}_${index}`))
    expect(people.of("work_1")?.creators.has("ada")).toBe(true)
  }
  expect([people.of("other_1_1"), people.of("other_2_249999")]).toEqual([
    undefined,
    { creators: new Map(), deciders: new Set() },
  ])
  await people.refresh(["other_1_1"])
  expect(people.of("other_1_1")).toBeDefined()
})
