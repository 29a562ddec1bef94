import { ACCEPT, APPROVE, DAY, type Story } from "./story.ts"

/** The offices whose letters are alike: an inbox marks them, and `Read together` shows them in one table. */
const OFFICES = ["Bergen", "Gdansk", "Lisbon", "Oslo", "Porto", "Turku", "Utrecht"]

/**
 * Works that wait for a decision: each kind of destination, short and long letters, one that waits twice, an address that imitates another, and seven
 * letters that are alike.
 */
export const deciding: readonly Story[] = [
  ...OFFICES.map((office, index): Story => {
    const name = office.toLowerCase()
    return {
      colleague_id: "analyst",
      title: `November expenses, ${office}`,
      objective: `Summarize by kind, and send it to books@${name}.example.`,
      inputs: [`expenses-${name}.csv`],
      visibility_scope: "team",
      age: 30 + index,
      actions: [{ answer: "kind" }],
    }
  }),
  {
    colleague_id: "analyst",
    title: "October invoices by supplier",
    objective: "Summarize by supplier for finance@halden.example before the books close.",
    inputs: ["october-invoices.csv"],
    priority: "urgent",
    due: -3,
    age: 0.6,
    actions: [{ answer: "supplier" }],
  },
  {
    colleague_id: "analyst",
    title: "Rain days for the roof crew",
    objective: "Post the split by weather in #roof-crew.",
    inputs: ["seattle-weather.csv"],
    visibility_scope: "team",
    due: DAY,
    age: 4,
    actions: [ACCEPT],
  },
  {
    colleague_id: "analyst",
    title: "Species sheet for the museum",
    objective: "Post the summary to https://museum.example/hooks/exhibits when it is done.",
    inputs: ["penguins.json"],
    age: 20,
    actions: [{ answer: "Species, please" }],
  },
  {
    colleague_id: "analyst",
    title: "Team survey, first look",
    objective: "What should we talk about on Thursday?",
    inputs: ["team-survey.csv"],
    visibility_scope: "private",
    priority: "high",
    age: 1.8 * DAY,
    actions: [{ answer: "Team" }],
  },
  {
    colleague_id: "analyst",
    title: "Stock count for two warehouses",
    objective: "Send to stock@utrecht.example, and a copy to records@utrecht.example. approval:second",
    inputs: ["inventory.json"],
    age: 2.2 * DAY,
    actions: [{ answer: "Group by kind" }, APPROVE],
  },
  // Delegated twice by mistake: the same letter waits a second time.
  {
    colleague_id: "analyst",
    title: "Team survey, first look",
    objective: "What should we talk about on Thursday?",
    inputs: ["team-survey.csv"],
    visibility_scope: "private",
    age: 1.5 * DAY,
    actions: [{ answer: "Team" }],
  },
  // The second letter of the address is Cyrillic: the destination only looks like the known `payments@halden.example`.
  {
    colleague_id: "analyst",
    title: "Payment overview",
    objective: "Send it to p\u0430yments@halden.example today.",
    inputs: ["october-invoices.csv"],
    priority: "high",
    age: 3.3 * DAY,
    actions: [{ answer: "paid" }],
  },
  {
    colleague_id: "analyst",
    title: "Everything we have, in one letter",
    objective: "All four files, one summary, to #all-hands.",
    inputs: ["penguins.json", "seattle-weather.csv", "october-invoices.csv", "inventory.json"],
    visibility_scope: "organization",
    age: 5 * DAY,
    actions: [ACCEPT],
  },
  {
    colleague_id: "analyst",
    title: "Click report \u202Efdp.exe",
    objective: "Somebody sent us hostile.csv. Look, but do not touch.",
    inputs: ["hostile.csv"],
    age: 6.5 * DAY,
    actions: [{ answer: "label" }],
  },
  {
    colleague_id: "analyst",
    title: "Last week's visitors",
    objective: "Tell reception@halden.example who came.",
    inputs: ["ragged.csv"],
    priority: "low",
    age: 9 * DAY,
    actions: [{ answer: "There is no other file. Finish." }],
  },
]
