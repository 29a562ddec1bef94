import { expect, onTestFinished, test } from "vitest"
import { crashRounds } from "../../../e2e/crash-rounds.ts"
import { DecidingUpstream } from "../../../e2e/deciding-upstream.ts"
import { HostileProvider } from "../people/testing/hostile-provider.ts"
import { folderForTest } from "../store/testing/stores.ts"

// The first two of the steps at which crash.long.test.ts kills the desk: before the upstream heard of the decision, and after.
const ROUNDS = 2

// Three starts of a process, of which each waits for the disk.
const TIMEOUT_MS = 90_000

test(
  "a desk that is killed while it decides leaves one intent for each decision that the upstream heard of",
  async () => {
    const provider = await HostileProvider.start()
    const upstream = await DecidingUpstream.start()
    onTestFinished(() => upstream.stop())
    const { heard } = await crashRounds(ROUNDS, { provider, upstream, folder: await folderForTest() })
    expect(heard).toBeGreaterThan(0)
  },
  TIMEOUT_MS,
)
