import { DAY, type Story } from "./story.ts"

const LONG_TITLE =
  "Compare the daily weather of Seattle from 2012 to 2015 by every column that could matter to the ferry timetable, and say in plain words what the crews should expect, including the months in which nothing happens at all"

const LONG_OBJECTIVE = [
  "Read the four years of daily weather and tell the crews what to expect, month by month where that says more than the year.",
  "They know the sea, and they do not need to be told that winter is wet: what helps them is how often a day of wind above the limit follows a day without, how long a spell of rain lasts once it has begun, and which of the measured columns is worth watching in the morning.",
  "Keep the figures as they are; do not round away a difference that a timetable would feel.",
  "If a column turns out to show no differences, say so instead of drawing it.",
  "The summary goes to #ferry-crews; the long version stays here.",
].join("\n\n")

/** Works that wait for an answer, with texts of many lengths and scripts. */
export const asking: readonly Story[] = [
  {
    colleague_id: "analyst",
    title: "Reconcile October supplier invoices",
    objective: "Find what does not add up in october-invoices.csv, and send a summary to accounts@halden.example.",
    inputs: ["october-invoices.csv"],
    priority: "high",
    due: 5 * DAY,
    age: 0.2,
  },
  {
    colleague_id: "analyst",
    title: "Weather for the ferry timetable",
    objective: "Group the days so that a timetable can be planned. Post it in #ferry-crews.",
    inputs: ["seattle-weather.csv"],
    priority: "urgent",
    due: 4,
    visibility_scope: "team",
    age: 0.9,
  },
  {
    colleague_id: "editor",
    title: "Tidy the handbook",
    objective: "It goes to everybody on Monday.",
    inputs: ["handbook.md"],
    priority: "high",
    due: 2 * DAY,
    visibility_scope: "organization",
    age: 3,
  },
  {
    colleague_id: "analyst",
    title: "تلخيص مبيعات الربع الثالث حسب المدينة",
    objective: "لخّص الملف sales-arabic.csv وأرسل الملخّص إلى مدير المبيعات.",
    inputs: ["sales-arabic.csv"],
    age: 6,
  },
  {
    colleague_id: "analyst",
    title: "Profile the churn export",
    objective: "The file should be attached. (It is not.)",
    age: 1.2 * DAY,
  },
  {
    colleague_id: "analyst",
    title: "Merge the visitor lists",
    objective: "One list, please, and who came most often.",
    inputs: ["ragged.csv", "broken.json", "team-survey.csv"],
    due: -6,
    age: 1.4 * DAY,
  },
  {
    colleague_id: "editor",
    title: "Clean up the interview notes",
    objective: "Keep the speaker's tone.",
    inputs: ["interview.txt"],
    priority: "low",
    visibility_scope: "private",
    age: 2.6 * DAY,
  },
  {
    colleague_id: "analyst",
    title: LONG_TITLE,
    objective: LONG_OBJECTIVE,
    inputs: ["seattle-weather.csv"],
    due: -2 * DAY,
    priority: "urgent",
    age: 4.5 * DAY,
  },
  {
    colleague_id: "editor",
    title: "Proofread the inventory",
    objective: "Check the wording.",
    inputs: ["inventory.json"],
    age: 8 * DAY,
  },
]
