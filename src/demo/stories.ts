import { asking } from "./stories/asking.ts"
import { deciding } from "./stories/deciding.ts"
import { done } from "./stories/done.ts"
import { DAY, type Story } from "./stories/story.ts"

/** Works that are at work. Their owner has nothing to do but look. */
const working: readonly Story[] = [
  {
    colleague_id: "analyst",
    title: "Profile the penguin survey",
    objective: "Which measurement tells the three species apart best? The summary goes to field-team@palmer.example.",
    inputs: ["penguins.json"],
    age: 0.02,
    stopped: "at work",
  },
  {
    colleague_id: "editor",
    title: "Review the notes on our data",
    objective: "Find what would confuse a newcomer.",
    inputs: ["SOURCES.md"],
    priority: "low",
    age: 0.04,
    stopped: "at work",
  },
  {
    colleague_id: "metronome",
    title: "Watch the loading dock",
    objective: "One beat a second, until somebody needs the dock. rate=1",
    visibility_scope: "team",
    age: 2,
  },
  { colleague_id: "metronome", title: "Checkout heartbeat", objective: "rate=2", priority: "high", age: 7 },
]

/** Works whose execution limit is used up. */
const paused: readonly Story[] = [
  {
    colleague_id: "metronome",
    title: "Old printer heartbeat",
    objective: "rate=2",
    active_execution_limit_seconds: 1n,
    age: 3 * DAY,
    stopped: "out of time",
  },
  {
    colleague_id: "editor",
    title: "Review the invoices",
    objective: "This file isn't text, and one second is too short.",
    inputs: ["october-invoices.csv"],
    active_execution_limit_seconds: 1n,
    due: -5 * DAY,
    age: 7 * DAY,
    actions: [{ answer: "Finish without" }],
    stopped: "out of time",
  },
]

/**
 * The stories that `npm run demo` fills its data folder with. Together they show every state of a Work, a clarification, an approval and
 * a result. A file of `stories` holds the stories that end in the state of its name.
 */
export const stories: readonly Story[] = [...working, ...asking, ...deciding, ...paused, ...done]
