import { randomUUID } from "node:crypto"
import { expect, onTestFinished, test } from "vitest"
import { DecidingUpstream } from "../../e2e/deciding-upstream.ts"
import {
  FREEZE_ACCESS,
  freezeKillRounds,
  type Freezing,
  freezeRounds,
  signInForFreeze,
} from "../../e2e/freeze-rounds.ts"
import { startSignedInDesk } from "../../e2e/signed-in-desk.ts"
import { HostileProvider } from "./people/testing/hostile-provider.ts"
import { freeze, operator, readFreezes, unfreeze } from "./record/freezes.ts"
import { DecidingDesk } from "./record/testing/deciding.ts"
import type { Database } from "./store/database.ts"
import {
  changedDatabase,
  databaseForTest,
  describeStores,
  folderForTest,
  sqliteForTest,
  type NewStore,
} from "./store/testing/stores.ts"
import { answerFrom, fakeApproval, fakeWork } from "./watcher/testing/simulation.ts"
import { faultsOfRun } from "./testing/audit.ts"
import { MUTATION, send, startTestProxy } from "./testing/desk.ts"
import { startUpstream } from "./testing/upstreams.ts"

const reason = "It sends letters in a loop"

test.each(["approve", "new Work"])(
  "%s that is held up between its row and its sending never leaves after a freeze",
  async (what) => {
    const work = fakeWork("w1", 1, { approvals: [fakeApproval("a1", { work_id: "w1" })] })
    const approved = fakeApproval("a1", { work_id: "w1", status: "approved", version: 2 })
    const upstream = await startUpstream(({ method, url }, response) => {
      const { body } =
        method === "GET" ? answerFrom([work], url) : { body: what === "approve" ? approved : { id: "w2" } }
      response.writeHead(method === "GET" || what === "approve" ? 200 : 201, { "Content-Type": "application/json" })
      response.end(JSON.stringify(body))
    })
    const database = await sqliteForTest()
    let held: Promise<void> | undefined
    const transaction: Database["transaction"] = async (lock, run) => {
      const result = await database.transaction(lock, run)
      await held
      return result
    }
    const { record } = new DecidingDesk(changedDatabase(database, { transaction }), "local")
    const proxy = await startTestProxy(upstream.url, { database, record })
    const key = randomUUID()
    const mutate = () => {
      const [path, body] =
        what === "approve"
          ? ["/api/v1/work/w1/approvals/a1/resolve", { decision: "approve" }]
          : ["/api/v1/work", { colleague_id: "analyst", objective: "profile it", title: "October" }]
      const headers = { ...MUTATION, "Idempotency-Key": key, "If-Match": '"1"' }
      return send(proxy.url, path, { method: "POST", headers, body: JSON.stringify(body) })
    }
    const sent = () => upstream.heard.filter(({ method }) => method === "POST").length

    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    const first = mutate()
    await expect.poll(() => database.read("SELECT sequence FROM record WHERE key_hash IS NOT NULL")).toHaveLength(1)
    const store = { database, onStored: () => undefined }
    await freeze(store, operator, { colleague: null, reason }, randomUUID())
    held = undefined
    resolve()
    expect((await first).status).toBe(502)
    expect((await mutate()).status).toBe(423)
    expect(sent()).toBe(0)
    await unfreeze(store, operator, null, randomUUID())
    expect((await mutate()).status).toBeLessThan(300)
    expect(sent()).toBe(1)
    expect(await readFreezes(database)).toEqual([])
  },
  30_000,
)

/** The options of desks on a store. */
async function optionsOn({ dataFolder, databaseUrl }: NewStore) {
  const upstream = await DecidingUpstream.start()
  onTestFinished(() => upstream.stop())
  const environment = databaseUrl === undefined ? { DATA_DIR: dataFolder } : { DESK_DATABASE_URL: databaseUrl }
  const provider = await HostileProvider.start()
  const folder = await folderForTest()
  return { upstream, provider, upstreamUrl: upstream.url, folder, access: FREEZE_ACCESS, environment }
}

describeStores("a freeze", ({ newStore }) => {
  test(
    "of which the service hears an approve before the answer, or never, in 200 rounds",
    { timeout: 300_000 },
    async () => {
      const where = await newStore()
      const options = await optionsOn(where)
      const start = async () => {
        const desk = await startSignedInDesk(options)
        onTestFinished(() => desk.stop())
        return desk.url
      }
      const first = await start()
      // A desk with SQLite has its folder alone: the operator's command freezes beside it.
      const desks = where.databaseUrl === undefined ? [first] : [first, await start()]
      const { approvers, overseer } = await signInForFreeze(options.provider, first)
      const store = { database: await databaseForTest(where), onStored: () => undefined }
      const byOperator: Pick<Freezing, "freeze" | "unfreeze"> = {
        freeze: (colleague) => freeze(store, operator, { colleague, reason }, randomUUID()),
        unfreeze: async (colleague) => expect(await unfreeze(store, operator, colleague, randomUUID())).toBe(true),
      }
      const byOverseer: Pick<Freezing, "freeze" | "unfreeze"> = {
        freeze: async (colleague) =>
          expect((await overseer.put(desks.at(-1) ?? "", "/desk/freeze", { colleague, reason })).status).toBe(200),
        unfreeze: async (colleague) => {
          const query = colleague === null ? "" : `?colleague=${colleague}`
          expect((await overseer.delete(first, `/desk/freeze${query}`)).status).toBe(204)
        },
      }
      const { upstream } = options
      const author = where.databaseUrl === undefined ? byOperator : byOverseer
      const counts = await freezeRounds(200, { desks, upstream, approvers, ...author })
      console.log(JSON.stringify(counts))
      expect(counts.sent).toBeGreaterThan(100)
      expect(await faultsOfRun(store.database, upstream.changes)).toEqual([])
    },
  )

  test(
    "is whole or absent when the desk is killed, and survives when it was answered",
    { timeout: 300_000 },
    async () => {
      const where = await newStore()
      const counts = await freezeKillRounds(20, await optionsOn(where), where)
      console.log(JSON.stringify(counts))
      expect(counts.answered).toBeGreaterThan(0)
    },
  )
})
