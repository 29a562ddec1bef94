import { expect, onTestFinished, test } from "vitest"
import { crashRounds } from "../../../e2e/crash-rounds.ts"
import { DecidingUpstream } from "../../../e2e/deciding-upstream.ts"
import { HostileProvider } from "../testing/hostile-provider.ts"
import { folderForTest } from "../testing/stores.ts"

// Six starts of a process, of which each waits for the disk.
const TIMEOUT_MS = 90_000

test(
  "a desk that is killed at any step of a decision leaves one intent for each that the upstream heard of",
  async () => {
    const provider = await HostileProvider.start()
    const upstream = await DecidingUpstream.start()
    onTestFinished(() => upstream.stop())
    const { heard } = await crashRounds(5, { provider, upstream, folder: await folderForTest() })
    expect(heard).toBeGreaterThan(0)
  },
  TIMEOUT_MS,
)
