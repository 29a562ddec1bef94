/** What is new in a Work, in words. */
import type { NewWorkEntry, NewsKind } from "../../contract/desk-work.ts"
import { countOf } from "../../contract/plural.ts"

type News = Pick<NewWorkEntry, "what" | "by" | "results">

/** Names the most important news of a Work, such as "Done, 3 results" or "Ada Lovelace approved". */
export function formatNews({ what: [kind = "changed"], by, results }: News): string {
  const name = by?.name ?? "Somebody"
  const words: Readonly<Record<NewsKind, string>> = {
    done: results === undefined ? "Done" : `Done, ${countOf(results, "result")}`,
    results: "Results",
    paused: "Paused",
    declined: `${name} declined`,
    approved: `${name} approved`,
    answered: `${name} answered`,
    asked: "Asked a question",
    approval: "Asked for approval",
    changed: "Changed",
  }
  return words[kind]
}
