import { expect, onTestFinished, test } from "vitest"
import { crashRounds } from "../../../e2e/crash-rounds.ts"
import { DecidingUpstream } from "../../../e2e/deciding-upstream.ts"
import { HostileProvider } from "../people/testing/hostile-provider.ts"
import { folderForTest } from "../store/testing/stores.ts"

const ROUNDS = 100

test("a hundred kills lose no decision and leave none without a row", { timeout: 900_000 }, async () => {
  const provider = await HostileProvider.start()
  const upstream = await DecidingUpstream.start()
  onTestFinished(() => upstream.stop())
  const counts = await crashRounds(ROUNDS, { provider, upstream, folder: await folderForTest() })
  console.log(`${ROUNDS} kills: ${JSON.stringify(counts)}`)
  expect(counts.unknown).toBeGreaterThan(0)
})
