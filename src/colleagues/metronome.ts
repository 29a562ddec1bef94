import type { Colleague } from "./colleague.ts"
import { count } from "./wording.ts"

/** Events a second: slower than one in ten seconds shows nothing, faster than this measures the disk and not the feed. */
const SLOWEST = 0.1
const FASTEST = 1000

/** The rate that an objective asks for with `rate=20`, in events a second; 1 where it is left out, else kept within bounds. */
export function rateOf(objective: string): number {
  const wanted = /\brate\s*=\s*(\d+(?:\.\d+)?)/i.exec(objective)?.[1]
  return wanted === undefined ? 1 : Math.min(Math.max(Number(wanted), SLOWEST), FASTEST)
}

/** Never finishes: it publishes beats at a rate, to show the live feed. */
export const metronome: Colleague = {
  id: "metronome",
  version: 1,
  label: "Metronome: publishes events at a steady rate and never finishes",
  async run(desk) {
    const rate = rateOf(desk.work.objective)
    await desk.publish("metronome.started", {
      message: `Beats ${rate === 1 ? "once" : count(rate, "time")} a second and never finishes. A time limit pauses this Work.`,
      rate,
    })
    await desk.every(1 / rate, { type: "beat", label: "Beat", payload: { rate } })
  },
}
