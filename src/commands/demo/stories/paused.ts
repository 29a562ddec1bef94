import { DAY } from "./story.ts"
import type { Story } from "./story.ts"

/** Works whose execution limit is used up. */
export const paused: readonly Story[] = [
  {
    colleague: "metronome",
    title: "Heartbeat of the old printer",
    objective: "rate=2",
    limit: 1,
    age: 3 * DAY,
    stopped: "out of time",
  },
  {
    colleague: "analyst",
    title: "Penguins in a second",
    objective: "You have one second. Go.",
    inputs: ["penguins.json"],
    limit: 1,
    priority: "low",
    age: 1.7 * DAY,
    stopped: "out of time",
  },
  {
    colleague: "editor",
    title: "Review the invoices",
    objective: "There is nothing here that an editor can read, and no time either.",
    inputs: ["october-invoices.csv"],
    limit: 1,
    due: -5 * DAY,
    age: 7 * DAY,
    actions: [{ answer: "Finish without" }],
    stopped: "out of time",
  },
]
