import { test } from "vitest"
import { folderForTest } from "./store/testing/stores.ts"
import { searchInbox, type Step } from "./testing/inbox-search.ts"

/** Cases that a search has found. */
const FOUND: readonly (readonly Step[])[] = [
  // An item that came back when it was taken was set aside again when it was given back.
  [
    { do: "aside", who: "Cleo", item: 2, lasts: "long" },
    { do: "take", who: "Cleo", item: 2 },
    { do: "give back", who: "Cleo", item: 2 },
  ],
  // An approve left after its person had signed out while the desk read the approval.
  [{ held: { do: "approve", who: "Ada", item: 0 }, meanwhile: { do: "sign out", who: "Ada" } }],
  // A freeze of a colleague was ended only with the same letter case.
  [
    { do: "freeze", who: "Dora", colleague: "Analyst" },
    { do: "end the freeze", who: "Dora", colleague: "analyst" },
  ],
]

const newStore = async () => ({ dataFolder: await folderForTest(), databaseUrl: undefined })

test("a desk shows and does what the model of the inbox says", { timeout: 60_000 }, async () => {
  await searchInbox(newStore, { runs: 2, steps: 16, cases: FOUND })
})
