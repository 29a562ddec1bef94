import type { Story } from "./story.ts"

/** Works that are at work. Their owner has nothing to do but look. */
export const working: readonly Story[] = [
  {
    colleague: "analyst",
    title: "Profile the penguin survey",
    objective: "Which measurement tells the three species apart best? The summary goes to field-team@palmer.example.",
    inputs: ["penguins.json"],
    age: 0.02,
    stopped: "at work",
  },
  {
    colleague: "editor",
    title: "Read the notes on our data once more",
    objective: "Find what a newcomer would stumble over.",
    inputs: ["SOURCES.md"],
    priority: "low",
    age: 0.04,
    stopped: "at work",
  },
  {
    colleague: "metronome",
    title: "Watch the loading dock",
    objective: "One beat a second, until somebody needs the dock. rate=1",
    visibility: "team",
    age: 2,
  },
  { colleague: "metronome", title: "Pulse of the checkout", objective: "rate=2", priority: "high", age: 7 },
]
