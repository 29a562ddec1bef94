import { expect, onTestFinished, test } from "vitest"
import { crashTogetherRounds } from "../../../e2e/crash-together.ts"
import { DecidingUpstream } from "../../../e2e/deciding-upstream.ts"
import { HostileProvider } from "../people/testing/hostile-provider.ts"
import { folderForTest } from "../store/testing/stores.ts"

const ROUNDS = 100

test(
  "a hundred kills never send with fewer than two, never twice, and lose nothing",
  { timeout: 1_800_000 },
  async () => {
    const provider = await HostileProvider.start()
    const upstream = await DecidingUpstream.start()
    onTestFinished(() => upstream.stop())
    const counts = await crashTogetherRounds(ROUNDS, { provider, upstream, folder: await folderForTest() })
    console.log(`${ROUNDS} kills: ${JSON.stringify(counts)}`)
    expect(counts.heard).toBeGreaterThan(0)
  },
)
