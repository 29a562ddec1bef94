import type { Colleague, Desk, Question } from "../../colleagues/colleague.ts"
import { LETTER, QUESTION, REQUEST, clerk } from "./colleagues.ts"

/** The URL of this module, for a service with the next release of the colleagues of colleagues.ts. Some have another version. */
export const NEXT_COLLEAGUES = import.meta.url

/** A desk that replaces some texts of each question. */
function asking(desk: Desk, texts: Partial<Question>): Desk {
  return { ...desk, ask: (question) => desk.ask({ ...question, ...texts }) }
}

export const colleagues: readonly Colleague[] = [
  {
    id: "clerk-event",
    label: "Publishes other events",
    version: 1,
    async run(desk) {
      await desk.publish("note", { message: "another first" })
      await desk.publish("note", { message: "and a second" })
      return clerk(desk)
    },
  },
  {
    id: "clerk-words",
    label: "Explains its question in other words",
    version: 1,
    run: (desk) => clerk(asking(desk, { what_happened: "other", why_needed: "other", consequences: "other" })),
  },
  {
    id: "clerk-advice",
    label: "Recommends something else",
    version: 2,
    run: (desk) => clerk(asking(desk, { recommended_action: "other" })),
  },
  {
    id: "clerk-question",
    label: "Asks another question first",
    version: 2,
    async run(desk) {
      await desk.ask({ ...QUESTION, title: "Which way round?" })
      return clerk(desk)
    },
  },
  {
    id: "clerk-letter",
    label: "Writes another letter",
    version: 1,
    async run(desk) {
      const letter = { ...LETTER, body: "Three" }
      await desk.ask(QUESTION)
      await desk.deliver({ path: "result.txt", media_type: "text/plain", content: "other" })
      const { decision } = await desk.requestApproval({ ...REQUEST, ...letter })
      if (decision === "approve") await desk.send(letter)
      await desk.finish("done by the next version")
    },
  },
  { id: "clerk-kept", label: "Has both versions", version: 1, run: clerk },
  {
    id: "clerk-kept",
    label: "Has both versions",
    version: 2,
    run: (desk) => desk.finish("done by the next version"),
  },
]
