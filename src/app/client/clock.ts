/** The longest delay. Browsers keep delays as 32-bit integers, so a longer delay ends at once (HTML, "timers"). */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * The present moment in milliseconds since 1970, for waits. Unlike `Date.now()` it never goes back while the page is open, even when the
 * machine's clock is changed.
 */
export function steadyNow(): number {
  return performance.timeOrigin + performance.now()
}

/** By how much the desk's clock is ahead of this machine's, in milliseconds. */
let deskIsAheadMs = 0
/** `machineIsAheadMs()` when the clocks were compared last; undefined before. */
let machineWasAheadMs: number | undefined

/** By how much this machine's clock is ahead of `steadyNow()`. It changes when somebody sets this machine's clock, and not otherwise. */
const machineIsAheadMs = () => Date.now() - steadyNow()

/** After a smaller change nobody has set the clock: the system itself corrects a clock in small steps. */
const CLOCK_SET_MIN_MS = 3_000
/** A smaller difference says nothing about the clocks: it is the time on the way, and the fraction of a second that `Date` leaves out. */
const DIFFERENCE_MIN_MS = 3_000
/** The header `Date` leaves out half a second on average. */
const LEFT_OUT_MS = 500

/**
 * Compares the desk's clock with this machine's, at the first answer and at the first after somebody has set the machine's clock.
 *
 * @param date the header `Date` of an answer that has just arrived. Without a date nothing is compared
 */
export function compareClocks(date: string | null): void {
  const aheadNowMs = machineIsAheadMs()
  const wasSetSince = machineWasAheadMs === undefined || Math.abs(aheadNowMs - machineWasAheadMs) >= CLOCK_SET_MIN_MS
  const deskTime = Date.parse(date ?? "")
  if (!wasSetSince || Number.isNaN(deskTime)) return
  machineWasAheadMs = aheadNowMs
  const aheadMs = deskTime + LEFT_OUT_MS - Date.now()
  deskIsAheadMs = Math.abs(aheadMs) < DIFFERENCE_MIN_MS ? 0 : aheadMs
}

/** A moment of this machine's clock on the desk's clock. Both are in milliseconds since 1970. */
export function onDeskClock(moment: number): number {
  return moment + deskIsAheadMs
}

/**
 * The present moment on the desk's clock, in milliseconds since 1970. Ages are counted from this moment, because this machine's clock may
 * be wrong. Moments in answers come from the clock of the desk or of the service. The app assumes that both agree.
 */
export function deskNow(): number {
  return onDeskClock(Date.now())
}

/** The time zone of this browser, such as Europe/Berlin. */
export const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/**
 * Calls `act` once when `steadyNow()` has reached `moment`, however far away that is. Browsers delay the timers of a hidden page, so the
 * clock is read again when the page is shown. Returns a function that cancels the call.
 */
export function callAt(moment: number, act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const cancel = () => {
    clearTimeout(timer)
    document.removeEventListener("visibilitychange", look)
    removeEventListener("focus", look)
  }
  function look() {
    clearTimeout(timer)
    const left = moment - steadyNow()
    // A moment in the past is called in a later task too, so that the caller has `cancel` before.
    timer = left > 0 ? setTimeout(look, Math.min(Math.ceil(left), LONGEST_TIMER_MS)) : setTimeout(end)
  }
  function end() {
    cancel()
    act()
  }
  document.addEventListener("visibilitychange", look)
  addEventListener("focus", look)
  look()
  return cancel
}
