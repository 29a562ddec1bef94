/** The longest delay. Browsers keep delays as 32-bit integers, so a longer delay ends at once (HTML, "timers"). */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * The present moment in milliseconds since 1970, for waits. Unlike `Date.now()` it never goes back while the page is open, even when the
 * machine's clock is changed.
 */
export function steadyNow(): number {
  return performance.timeOrigin + performance.now()
}

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
