/** What the tests of the list and the overview share. */
import { fakeApproval, fakeWork, range, Simulation } from "./simulation.ts"

export const DAY = 86_400_000
export const NOW = Date.parse("2026-11-21T12:00:00Z")

/** A watcher that has read open Works of every status, colleague, priority and due date, and some with approvals. */
export function watchedWorks(count: number) {
  const statuses = ["working", "needs_you", "paused"]
  const works = range(count).map((index) =>
    fakeWork(`w${index}`, NOW - (index % 20) * DAY - index * 60_000, {
      status: statuses[index % 3] ?? "",
      json: {
        title: `${index % 2 === 0 ? "Résumé" : "Invoice"} ${index}`,
        objective: index % 5 === 0 ? "Count the penguins" : "Profile",
        colleague_id: `colleague-${index % 4}`,
        priority: ["low", "normal", "high", "urgent"][index % 4],
        updated_at: new Date(NOW - ((index * 7) % count) * 1_000).toISOString(),
        ...(index % 3 !== 0 && { due_at: new Date(NOW + ((index % 40) - 12) * DAY).toISOString() }),
      },
      approvals:
        index % 10 === 0
          ? [fakeApproval(`a${index}`, { created_at: new Date(NOW - index * 1_000).toISOString() })]
          : [],
    }),
  )
  const simulation = new Simulation(works)
  simulation.latency = 1
  simulation.run(count < 1_000 ? 2_000 : 300)
  return { works, simulation, watched: [...simulation.plan.state.works.values()] }
}
