/** When the host of a virtual machine took the processor away, so that a benchmark can leave out what it measured meanwhile. */
import { readFileSync } from "node:fs"

/** The kernel counts stolen time in ticks of 10 ms (`steal` in proc_stat(5)). */
const LOOK_MS = 10

export type StolenTime = {
  /** Whether the host took the processor between two moments of the clock that all processes share (ms since 1970). */
  readonly wasStolen: (from: number, to: number) => boolean
  readonly stop: () => void
}

/** Watches the stolen time until `stop` is called. Without `/proc/stat`, on another system than Linux, no time counts as stolen. */
export function watchStolenTime(): StolenTime {
  const moments: number[] = []
  let last = stolenTicks()
  const timer = setInterval(() => {
    const ticks = stolenTicks()
    if (ticks !== last) moments.push(performance.timeOrigin + performance.now())
    last = ticks
  }, LOOK_MS)
  return {
    // A tick is seen up to one look, and counted up to one tick, after it began.
    wasStolen: (from, to) => moments.some((at) => at >= from && at <= to + 2 * LOOK_MS),
    stop: () => clearInterval(timer),
  }
}

function stolenTicks(): number {
  try {
    const [, , , , , , , , steal] = readFileSync("/proc/stat", "latin1").split(/\s+/, 9)
    return Number(steal)
  } catch {
    return 0
  }
}
