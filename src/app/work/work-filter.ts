import type { WorkStatus } from "../../contract/resources.ts"

type Choice = {
  status: WorkStatus | undefined
  name: string
  /** What an empty list says: what will appear, and when. */
  empty: { title: string; words: string }
}

/** The filter's choices; `?status=` takes the API's values, All has none. */
export const filterChoices: readonly Choice[] = [
  {
    status: undefined,
    name: "All",
    empty: {
      title: "No Work yet",
      words: "What you hand to a colleague appears here, newest first, with what it needs from you.",
    },
  },
  {
    status: "working",
    name: "Working",
    empty: { title: "Nothing is being worked on", words: "Work appears here while a colleague is busy with it." },
  },
  {
    status: "needs_you",
    name: "Needs You",
    empty: {
      title: "Nothing waits for you",
      words: "Work appears here when a colleague asks you something or wants your approval.",
    },
  },
  {
    status: "paused",
    name: "Paused",
    empty: { title: "Nothing is paused", words: "Work appears here when it has stopped for now, without being done." },
  },
  {
    status: "done",
    name: "Done",
    empty: { title: "Nothing is done yet", words: "Work appears here when its colleague has finished it." },
  },
]
