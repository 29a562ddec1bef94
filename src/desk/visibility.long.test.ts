import { expect, onTestFinished, test } from "vitest"
import { databaseForTest, folderForTest } from "./store/testing/stores.ts"
import { PostgresServer } from "./store/testing/postgres.ts"
import { delegateConcealed, delegateShown, gathered, walkConcealed } from "./testing/concealed-walk.ts"
import { ask, delegate, startVisibilityDesk, startWorkUpstream } from "./testing/concealed-work.ts"

const OPEN = "concealed"

test("the time of an answer does not tell a concealed Work from an unknown one", { timeout: 120_000 }, async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  await delegate(desk, OPEN, "private")
  await expect
    .poll(async () => JSON.parse((await ask(desk, desk.people.Dora, "/desk/waiting")).text))
    .toMatchObject({ complete: true })
  // As far away as a service usually is. The watcher knows the concealed Work, so nothing is read for it.
  desk.upstream.control.delayMs = 20
  const times: Record<string, number[]> = { [OPEN]: [], absent: [] }
  for (let round = 0; round < 50; round++) {
    for (const id of [OPEN, "absent"]) {
      const began = performance.now()
      await ask(desk, desk.people.Cleo, `/api/v1/work/${id}/attention`)
      times[id]?.push(performance.now() - began)
    }
  }
  const [concealed, unknown] = Object.values(times).map((all) => all.toSorted((one, other) => one - other))
  const at = (sorted: readonly number[] | undefined, share: number) =>
    sorted?.[Math.floor(sorted.length * share)] ?? Number.NaN
  // Both are asked by turns. An answer that does not wait for the service comes in a fifth of the time.
  const [one, other] = [at(concealed, 0.5), at(unknown, 0.5)] as const
  expect(Math.abs(one - other), `${one} and ${other} ms`).toBeLessThan(other / 2)
})

test(
  "two desks that serve requests in turns tell of concealed Work no more than one",
  { timeout: 180_000 },
  async () => {
    const server = await PostgresServer.start()
    onTestFinished(() => server.stop())
    const databaseUrl = await server.newSchema()
    const upstream = await startWorkUpstream()
    const database = async () => databaseForTest({ dataFolder: await folderForTest(), databaseUrl })
    const [one, other] = [
      await startVisibilityDesk(upstream, undefined, await database()),
      await startVisibilityDesk(upstream, undefined, await database()),
    ]
    let turn = 0
    const both = {
      ...one,
      get url() {
        return turn++ % 2 === 0 ? one.url : other.url
      },
    }
    await delegateShown(both)
    await delegateConcealed(both)
    for (const desk of [one, other]) await gathered({ ...desk, people: one.people }, 4)
    await walkConcealed(both)
  },
)
