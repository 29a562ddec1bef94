/** The next release of the colleagues of tests. */
import type { Colleague, Host, Question } from "../colleagues/colleague.ts"
import { LETTER, QUESTION, REQUEST, clerk } from "./colleagues.ts"

/** The URL of this module, for a service with the next release of the colleagues of colleagues.ts. Some have another version. */
export const NEXT_COLLEAGUES = import.meta.url

/** A host that replaces some texts of each question. */
function asking(host: Host, texts: Partial<Question>): Host {
  return { ...host, ask: (question) => host.ask({ ...question, ...texts }) }
}

export const colleagues: readonly Colleague[] = [
  {
    id: "clerk-event",
    label: "Publishes other events",
    version: 1,
    async run(host) {
      await host.publish("note", { message: "another first" })
      await host.publish("note", { message: "and a second" })
      return clerk(host)
    },
  },
  {
    id: "clerk-words",
    label: "Explains its question in other words",
    version: 1,
    run: (host) => clerk(asking(host, { what_happened: "other", why_needed: "other", consequences: "other" })),
  },
  {
    id: "clerk-advice",
    label: "Recommends something else",
    version: 2,
    run: (host) => clerk(asking(host, { recommended_action: "other" })),
  },
  {
    id: "clerk-question",
    label: "Asks another question first",
    version: 2,
    async run(host) {
      await host.ask({ ...QUESTION, title: "Which way round?" })
      return clerk(host)
    },
  },
  {
    id: "clerk-letter",
    label: "Writes another letter",
    version: 1,
    async run(host) {
      const letter = { ...LETTER, body: "Three" }
      await host.ask(QUESTION)
      await host.deliver({ path: "result.txt", media_type: "text/plain", content: "other" })
      const { decision } = await host.requestApproval({ ...REQUEST, ...letter })
      if (decision === "approve") await host.send(letter)
      await host.finish("done by the next version")
    },
  },
  {
    id: "clerk-steps",
    label: "Takes other steps and is not marked as another version",
    version: 1,
    async run(host) {
      await host.deliver({ path: "result.txt", media_type: "text/plain", content: "before the question" })
      return clerk(host)
    },
  },
  { id: "clerk-kept", label: "Has both versions", version: 1, run: clerk },
  {
    id: "clerk-kept",
    label: "Has both versions",
    version: 2,
    run: (host) => host.finish("done by the next version"),
  },
]
