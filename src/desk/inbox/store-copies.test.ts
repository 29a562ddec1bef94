import { expect, onTestFinished, test } from "vitest"
import { logBackgroundFailures } from "../../platform/background.ts"
import { parseAccess } from "../people/access-file.ts"
import { freeze, Freezes, operator } from "../record/freezes.ts"
import { HeldApprovesCache } from "../record/gate/held-approves-cache.ts"
import { ACCESS, ada, DecidingDesk, decision, TWO, watchedApproval } from "../record/testing/deciding.ts"
import { type Database, StoreUnavailableError } from "../store/database.ts"
import { changedDatabase, databaseForTest, describeStores } from "../store/testing/stores.ts"
import { AbsenceList, writeAbsence } from "./absence-list.ts"
import { ClaimStore, writeAssignment } from "./claim-store.ts"

describeStores("a desk's copies of what people share", ({ newStore }) => {
  test("are read again without a message when the first read failed", async () => {
    const database = await databaseForTest(await newStore())
    const log: unknown[] = []
    logBackgroundFailures({ error: (_, message) => log.push(message), info: (_, message) => log.push(message) })
    const desk = new DecidingDesk(database)
    desk.rules(TWO)
    await desk.prepare(ada, decision())
    await freeze({ database, onStored: () => undefined }, operator, { colleague: null, reason: "tests" }, "request-1")
    const now = Date.now()
    await writeAbsence(database, "ada", { from: now - 1_000, until: now + 3_600_000, standIn: undefined }, "1")
    await writeAssignment(database, "w", "a", { to: { team: "Finance" }, by: "ada", note: undefined }, "1")

    let isAway = true
    const read: Database["read"] = (...statement) =>
      isAway ? Promise.reject(new StoreUnavailableError("away", "timeout")) : database.read(...statement)
    const deaf = changedDatabase(database, { read, subscribe: () => () => undefined })
    const access = parseAccess(JSON.stringify({ ...ACCESS, rules: [TWO] }))
    const options = { database: deaf, access: () => access, onStored: () => undefined }
    const freezes = new Freezes(options)
    const held = new HeldApprovesCache(options)
    const away = new AbsenceList(deaf)
    const claims = new ClaimStore(deaf)
    const copies = [freezes, held, away, claims]
    onTestFinished(() => {
      for (const copy of copies) copy.stop()
    })
    await Promise.all(copies.map((copy) => copy.load()))
    isAway = false
    const content = () => [
      freezes.now[0]?.reason,
      held.of(watchedApproval())?.given[0]?.person.name,
      away.of("ada")?.etag,
      claims.assignment("w", "a")?.to,
    ]
    await expect.poll(content, { timeout: 10_000 }).toEqual(["tests", "Ada", "1", { team: "Finance" }])
    const lines = ["freeze", "held", "away", "team"].flatMap((topic) => [
      `the desk's copy of "${topic}" could not be read`,
      `the desk's copy of "${topic}" is up to date again`,
    ])
    expect(log).toHaveLength(lines.length)
    expect(new Set(log)).toEqual(new Set(lines))
  })
})
