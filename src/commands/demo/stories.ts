/** What the demonstration is filled with: each story is one Work and how far its owner has got with it. */

export type Story = {
  readonly colleague: "analyst" | "editor" | "metronome"
  readonly title?: string
  readonly objective: string
  /** Files of `inputs/`. */
  readonly inputs?: readonly string[]
  readonly priority?: "low" | "high" | "urgent"
  readonly visibility?: "private" | "team" | "organization"
  /** Hours from now; less than nothing is overdue. */
  readonly due?: number
  /** Execution limit, in seconds. */
  readonly limit?: number
  /** Hours since it was delegated. */
  readonly age: number
  /** What its owner has done so far, in order. Work whose steps are at their end waits there. */
  readonly steps?: readonly Step[]
  /** `at work`: caught in the middle, to go on when the desk opens; `out of time`: its execution limit is used up. Else it goes as far as it can. */
  readonly left?: "at work" | "out of time"
}

export type Step = { readonly answer: string } | { readonly decide: "approve" | "decline"; readonly comment?: string }

const YES: Step = { answer: "Use the recommendation" }
const APPROVE: Step = { decide: "approve" }

const LONG_TITLE =
  "Compare the daily weather of Seattle from 2012 to 2015 by every column that could matter to the ferry timetable, and say in plain words what the crews should expect, including the months in which nothing happens at all"

const LONG_OBJECTIVE = [
  "Read the four years of daily weather and tell the crews what to expect, month by month where that says more than the year.",
  "They know the sea, and they do not need to be told that winter is wet: what helps them is how often a day of wind above the limit follows a day without, how long a spell of rain lasts once it has begun, and which of the measured columns is worth watching in the morning.",
  "Keep the figures as they are; do not round away a difference that a timetable would feel.",
  "If a column turns out to tell nothing apart, say so rather than drawing it.",
  "The summary goes to #ferry-crews; the long version stays here.",
].join("\n\n")

const DAY = 24

/** At work, with nothing to do for the owner but look. */
const working: readonly Story[] = [
  {
    colleague: "analyst",
    title: "Profile the penguin survey",
    objective: "Which measurement tells the three species apart best? The summary goes to field-team@palmer.example.",
    inputs: ["penguins.json"],
    age: 0.02,
    left: "at work",
  },
  {
    colleague: "editor",
    title: "Read the notes on our data once more",
    objective: "Find what a newcomer would stumble over.",
    inputs: ["SOURCES.md"],
    priority: "low",
    age: 0.04,
    left: "at work",
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

/** Waiting for an answer, in every tone of voice. */
const asking: readonly Story[] = [
  {
    colleague: "analyst",
    title: "Reconcile October supplier invoices",
    objective: "Find what does not add up in october-invoices.csv, and send a summary to accounts@halden.example.",
    inputs: ["october-invoices.csv"],
    priority: "high",
    due: 5 * DAY,
    age: 0.2,
  },
  {
    colleague: "analyst",
    title: "Weather for the ferry timetable",
    objective: "Group the days so that a timetable can be planned. Post it in #ferry-crews.",
    inputs: ["seattle-weather.csv"],
    priority: "urgent",
    due: 4,
    visibility: "team",
    age: 0.9,
  },
  {
    colleague: "editor",
    title: "Tidy the handbook",
    objective: "It goes to everybody on Monday.",
    inputs: ["handbook.md"],
    priority: "high",
    due: 2 * DAY,
    visibility: "organization",
    age: 3,
  },
  {
    colleague: "analyst",
    title: "تلخيص مبيعات الربع الثالث حسب المدينة",
    objective: "لخّص الملف sales-arabic.csv وأرسل الملخّص إلى مدير المبيعات.",
    inputs: ["sales-arabic.csv"],
    age: 6,
  },
  {
    colleague: "analyst",
    title: "What do we order for the launch party?",
    objective: "🍕 or 🥗? Settle it with data. 👩‍👩‍👧 and 😱 count as moods.",
    inputs: ["snacks.csv"],
    priority: "low",
    due: 30,
    age: 9,
  },
  {
    colleague: "analyst",
    title: "Profile the churn export",
    objective: "The file should be attached. (It is not.)",
    age: 1.2 * DAY,
  },
  {
    colleague: "analyst",
    title: "Merge the visitors' lists",
    objective: "One list, please, and who came most often.",
    inputs: ["ragged.csv", "broken.json", "team-survey.csv"],
    due: -6,
    age: 1.4 * DAY,
  },
  {
    colleague: "editor",
    title: "Clean up the interview notes",
    objective: "Leave the voice alone.",
    inputs: ["interview.txt"],
    priority: "low",
    visibility: "private",
    age: 2.6 * DAY,
  },
  {
    colleague: "analyst",
    title: LONG_TITLE,
    objective: LONG_OBJECTIVE,
    inputs: ["seattle-weather.csv"],
    due: -2 * DAY,
    priority: "urgent",
    age: 4.5 * DAY,
  },
  {
    colleague: "editor",
    title: "Proofread the inventory",
    objective: "Check the wording.",
    inputs: ["inventory.json"],
    age: 8 * DAY,
  },
]

/** Waiting for a decision: destinations of each kind, short and long letters, and one that is not what it seems. */
const deciding: readonly Story[] = [
  {
    colleague: "analyst",
    title: "October invoices by supplier",
    objective: "Summarise by supplier for finance@halden.example before the books close.",
    inputs: ["october-invoices.csv"],
    priority: "urgent",
    due: -3,
    age: 0.6,
    steps: [{ answer: "supplier" }],
  },
  {
    colleague: "analyst",
    title: "Rain days for the roof crew",
    objective: "Post the split by weather in #roof-crew.",
    inputs: ["seattle-weather.csv"],
    visibility: "team",
    due: DAY,
    age: 4,
    steps: [YES],
  },
  {
    colleague: "analyst",
    title: "Species sheet for the museum",
    objective: "Hand the summary to https://museum.example/hooks/exhibits when it is done.",
    inputs: ["penguins.json"],
    age: 20,
    steps: [{ answer: "Species, please" }],
  },
  {
    colleague: "analyst",
    title: "Team survey, first look",
    objective: "What should we talk about on Thursday?",
    inputs: ["team-survey.csv"],
    visibility: "private",
    priority: "high",
    age: 1.8 * DAY,
    steps: [{ answer: "Team" }],
  },
  {
    colleague: "analyst",
    title: "Stock count for two warehouses",
    objective: "Send to stock@utrecht.example, and a copy to records@utrecht.example. approval:second",
    inputs: ["inventory.json"],
    age: 2.2 * DAY,
    steps: [{ answer: "Group by kind" }, APPROVE],
  },
  // Delegated twice by mistake: the same letter waits a second time.
  {
    colleague: "analyst",
    title: "Team survey, first look",
    objective: "What should we talk about on Thursday?",
    inputs: ["team-survey.csv"],
    visibility: "private",
    age: 1.5 * DAY,
    steps: [{ answer: "Team" }],
  },
  // The second letter of the address is Cyrillic: the destination only looks like the known `payments@halden.example`.
  {
    colleague: "analyst",
    title: "Payment overview",
    objective: "Send it to p\u0430yments@halden.example today.",
    inputs: ["october-invoices.csv"],
    priority: "high",
    age: 3.3 * DAY,
    steps: [{ answer: "paid" }],
  },
  {
    colleague: "analyst",
    title: "Everything we have, in one letter",
    objective: "All four files, one summary, to #all-hands.",
    inputs: ["penguins.json", "seattle-weather.csv", "october-invoices.csv", "inventory.json"],
    visibility: "organization",
    age: 5 * DAY,
    steps: [YES],
  },
  {
    colleague: "analyst",
    title: "Click report \u202Efdp.exe",
    objective: "Somebody sent us hostile.csv. Look, but do not touch.",
    inputs: ["hostile.csv"],
    age: 6.5 * DAY,
    steps: [{ answer: "label" }],
  },
  {
    colleague: "analyst",
    title: "Visitors of last week",
    objective: "Tell reception@halden.example who came.",
    inputs: ["ragged.csv"],
    priority: "low",
    age: 9 * DAY,
    steps: [{ answer: "There is no other file. Finish." }],
  },
]

/** Out of time: the execution limit is used up. */
const paused: readonly Story[] = [
  {
    colleague: "metronome",
    title: "Heartbeat of the old printer",
    objective: "rate=2",
    limit: 1,
    age: 3 * DAY,
    left: "out of time",
  },
  {
    colleague: "analyst",
    title: "Penguins in a second",
    objective: "You have one second. Go.",
    inputs: ["penguins.json"],
    limit: 1,
    priority: "low",
    age: 1.7 * DAY,
    left: "out of time",
  },
  {
    colleague: "editor",
    title: "Review the invoices",
    objective: "There is nothing here that an editor can read, and no time either.",
    inputs: ["october-invoices.csv"],
    limit: 1,
    due: -5 * DAY,
    age: 7 * DAY,
    steps: [{ answer: "Finish without" }],
    left: "out of time",
  },
]

/** Done: sent and not sent, with results of every kind. */
const done: readonly Story[] = [
  {
    colleague: "analyst",
    title: "September payments",
    objective: "Send the totals to payments@halden.example.",
    inputs: ["october-invoices.csv"],
    age: 9 * DAY,
    steps: [{ answer: "supplier" }, APPROVE],
  },
  {
    colleague: "analyst",
    title: "Payments of the first half of October",
    objective: "Send the totals to payments@halden.example.",
    inputs: ["october-invoices.csv"],
    age: 5 * DAY,
    steps: [{ answer: "supplier" }, { decide: "approve", comment: "As agreed." }],
  },
  {
    colleague: "analyst",
    title: "Seattle, four years of weather",
    objective: "Send the split by weather to almanac@weather.example.",
    inputs: ["seattle-weather.csv"],
    age: 1.1 * DAY,
    steps: [{ answer: "weather" }, { decide: "approve", comment: "Good. Please send." }],
  },
  {
    colleague: "analyst",
    title: "Penguins by island",
    objective: "For field-team@palmer.example.",
    inputs: ["penguins.json"],
    visibility: "team",
    age: 2.9 * DAY,
    steps: [{ answer: "Not Species, but Island" }, APPROVE],
  },
  {
    colleague: "analyst",
    title: "Survey for the board",
    objective: "Send to board@halden.example.",
    inputs: ["team-survey.csv"],
    priority: "high",
    age: 3.8 * DAY,
    steps: [
      { answer: "Rolle" },
      { decide: "decline", comment: "Comments of single people are in it. Not outside the team." },
    ],
  },
  {
    colleague: "analyst",
    title: "Stock by kind",
    objective: "Post in #warehouse.",
    inputs: ["inventory.json"],
    age: 5.5 * DAY,
    steps: [YES, { decide: "decline" }],
  },
  {
    colleague: "analyst",
    title: "Invoices, sent and filed",
    objective: "To finance@halden.example and archive@halden.example. approval:second",
    inputs: ["october-invoices.csv"],
    age: 6 * DAY,
    steps: [{ answer: "category" }, APPROVE, { decide: "approve", comment: "For the file." }],
  },
  {
    colleague: "analyst",
    title: "Invoices, sent and not filed",
    objective: "To finance@halden.example and press@halden.example. approval:second",
    inputs: ["october-invoices.csv"],
    age: 7.5 * DAY,
    steps: [YES, APPROVE, { decide: "decline", comment: "Not to the press." }],
  },
  {
    colleague: "editor",
    title: "Handbook, repaired",
    objective: "Repair what can be repaired.",
    inputs: ["handbook.md"],
    age: 8.5 * DAY,
    steps: [{ answer: "Repair it" }],
  },
  {
    colleague: "editor",
    title: "Release notes 4.2",
    objective: "Only tidy.",
    inputs: ["release-notes.md"],
    visibility: "organization",
    age: 10 * DAY,
    steps: [{ answer: "Tidy, 20 words" }],
  },
  {
    colleague: "editor",
    title: "Two texts for the intranet",
    objective: "Both by Friday.",
    inputs: ["handbook.md", "interview.txt"],
    due: -9 * DAY,
    age: 11 * DAY,
    steps: [YES],
  },
  {
    colleague: "analyst",
    title: "Weather, with one result in quarantine",
    objective: "artifact:quarantine",
    inputs: ["seattle-weather.csv"],
    age: 12 * DAY,
    steps: [YES, APPROVE],
  },
  {
    colleague: "analyst",
    title: "Penguins, a result whose scan failed",
    objective: "artifact:scan-failed",
    inputs: ["penguins.json"],
    age: 12.5 * DAY,
    steps: [YES, APPROVE],
  },
  {
    colleague: "editor",
    title: "Handbook, results blocked by policy",
    objective: "artifact:block",
    inputs: ["handbook.md"],
    age: 13 * DAY,
    steps: [{ answer: "Leave it as it is" }],
  },
  {
    colleague: "editor",
    title: "Notes, review in quarantine",
    objective: "artifact:quarantine",
    inputs: ["interview.txt"],
    priority: "low",
    age: 14.5 * DAY,
    steps: [YES],
  },
  {
    colleague: "editor",
    title: "Release notes, a result that failed",
    objective: "artifact:failed",
    inputs: ["release-notes.md"],
    age: 15 * DAY,
    steps: [YES],
  },
  {
    colleague: "analyst",
    title: "לקוחות לפי סניף",
    objective: "סכם את הקובץ branches-hebrew.csv",
    inputs: ["branches-hebrew.csv"],
    age: 16 * DAY,
    steps: [YES, APPROVE],
  },
  {
    colleague: "analyst",
    title: "?",
    objective: "?",
    age: 17 * DAY,
    steps: [{ answer: "town,people\nUtrecht,361\nLeiden,127\nDelft,106\n" }, APPROVE],
  },
  {
    colleague: "analyst",
    title: "Stock count, a result that has expired",
    objective: "artifact:expired",
    inputs: ["inventory.json"],
    age: 18 * DAY,
    steps: [YES, APPROVE],
  },
  {
    colleague: "analyst",
    title: "Orders of the old shop",
    objective: "Whatever is left of them.",
    inputs: ["broken.json"],
    age: 19 * DAY,
    steps: [{ answer: "Finish" }, { decide: "decline", comment: "Nothing to send." }],
  },
  {
    colleague: "analyst",
    title: "🎉 First trial: 🍕 vs 🥗",
    objective: "See what happens.",
    inputs: ["snacks.csv"],
    visibility: "private",
    age: 21 * DAY,
    steps: [{ answer: "mood" }, APPROVE],
  },
]

export const stories: readonly Story[] = [...working, ...asking, ...deciding, ...paused, ...done]
