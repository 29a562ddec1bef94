/** The texts of the inbox, for both kinds of items together and for each kind. */
import type { ItemKind } from "./item.ts"

export type InboxWords = {
  readonly heading: string
  readonly none: string
  /** Shown while the desk can't be reached. */
  readonly noneAtLastCheck: string
  readonly noneMatch: string
  readonly noneMine: string
  readonly noneFree: string
  readonly choose: string
  /** Shown if the item in the address isn't found. */
  readonly notFound: string
}

export const INBOX_WORDS: Readonly<Record<"all" | ItemKind, InboxWords>> = {
  all: {
    heading: "Needs You",
    none: "Nothing needs you.",
    noneAtLastCheck: "Nothing needed you at the last check.",
    noneMatch: "No items match",
    noneMine: "None of the items are yours",
    noneFree: "No items are free",
    choose: "Choose an item to read it.",
    notFound: "This item is no longer open, or you can't see it.",
  },
  clarification: {
    heading: "Needs You",
    none: "No questions need you.",
    noneAtLastCheck: "No questions needed you at the last check.",
    noneMatch: "No questions match",
    noneMine: "None of the questions are yours",
    noneFree: "No questions are free",
    choose: "Choose a question to read it.",
    notFound: "This question is no longer open, or you can't see it.",
  },
  approval: {
    heading: "Approvals",
    none: "No approvals need you.",
    noneAtLastCheck: "No approvals needed you at the last check.",
    noneMatch: "No approvals match",
    noneMine: "None of the approvals are yours",
    noneFree: "No approvals are free",
    choose: "Choose an approval to read it.",
    notFound: "This approval is no longer open, or you can't see it.",
  },
}
