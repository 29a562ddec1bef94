/** The colleagues of service-host.ts. */
import type { Colleague } from "../../src/service/colleagues/colleague.ts"

/** Publishes ten events a second. The `published_at` of an event says when it was made. */
const clock: Colleague = {
  id: "clock",
  label: "Clock",
  version: 1,
  run: (host) => host.every(0.1, Number.MAX_SAFE_INTEGER, { type: "tick", label: "Tick", payload: {} }),
}

/** Asks one clarification, so that a Work costs only its creation. */
const idler: Colleague = {
  id: "idler",
  label: "Idler",
  version: 1,
  async run(host) {
    const text = "Shall I go on?"
    await host.ask({ title: text, what_happened: text, why_needed: text, recommended_action: text, consequences: text })
  },
}

export const colleagues: readonly Colleague[] = [clock, idler]
