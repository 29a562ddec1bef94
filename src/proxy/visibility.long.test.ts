import { expect, test } from "vitest"
import { ask, delegate, startVisibilityDesk, startWorkUpstream } from "./testing/concealed-work.ts"

const OPEN = "concealed"

test("the time of an answer does not tell a concealed Work from an unknown one", { timeout: 60_000 }, async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  await delegate(desk, OPEN, "private")
  await expect
    .poll(async () => JSON.parse((await ask(desk, desk.people.Dora, "/desk/waiting")).text))
    .toMatchObject({ complete: true })
  const times: Record<string, number[]> = { [OPEN]: [], absent: [] }
  for (let round = 0; round < 200; round++) {
    for (const id of [OPEN, "absent"]) {
      const began = performance.now()
      await ask(desk, desk.people.Cleo, `/api/v1/work/${id}/attention`)
      times[id]?.push(performance.now() - began)
    }
  }
  const [concealed, unknown] = Object.values(times).map((all) => all.toSorted((one, other) => one - other))
  const at = (sorted: readonly number[] | undefined, share: number) =>
    sorted?.[Math.floor(sorted.length * share)] ?? Number.NaN
  const spread = at(unknown, 0.75) - at(unknown, 0.25)
  expect(Math.abs(at(concealed, 0.5) - at(unknown, 0.5))).toBeLessThan(Math.max(spread, 0.5))
})
