/** Publishes events at a steady rate, to show the live feed. */
import { pluralForm } from "../../contract/plural.ts"
import type { Colleague } from "./colleague.ts"
import { count } from "./wording.ts"

/** A metronome that nobody ends ends after this number of beats: at one beat a second after eleven and a half days. */
const BEATS_MAX = 1_000_000

export const metronome: Colleague = {
  id: "metronome",
  version: 1,
  label: "Metronome",
  does: "Publishes events at a steady rate",
  async run(host) {
    const rate = rateOf(host.work.objective)
    await host.publish("metronome.started", {
      message: `Beats ${pluralForm(rate, "once", count(rate, "time"))} a second, ${count(BEATS_MAX, "time")} in total. If this Work has a time limit, it pauses there.`,
      rate,
    })
    await host.every(1 / rate, BEATS_MAX, { type: "beat", label: "Beat", payload: { rate } })
    await host.finish(`Ended after ${count(BEATS_MAX, "beat")}.`)
  },
}

/** The lowest and the highest rate in events a second. A slower feed shows nothing; a faster feed shows the speed of the disk. */
const SLOWEST = 0.1
const FASTEST = 1000

/** The rate in events a second that an objective asks for, for instance with `rate=20`. The default is 1; other rates are 0.1 to 1000. */
export function rateOf(objective: string): number {
  const wanted = /\brate\s*=\s*(\d+(?:\.\d+)?)/i.exec(objective)?.[1]
  return wanted === undefined ? 1 : Math.min(Math.max(Number(wanted), SLOWEST), FASTEST)
}
