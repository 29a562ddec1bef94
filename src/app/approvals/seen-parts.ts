/** Which parts of a letter have been visible and not covered by a bar, and how far to scroll to see the rest. */

/** A stretch of a part, in pixels from the top of the part. */
type Stretch = readonly [from: number, to: number]

/** How many pixels a probe may be off at each edge. */
const TOLERANCE_PX = 5
/** The least height of a bar, and of a gap between bars. A probe in a long letter is slow, so edges are searched for only around a bar. */
const BAR_PX = 24

/** Adds a stretch to what was seen. The result is sorted, and no two of its stretches touch. */
function addStretch(seen: readonly Stretch[], [from, to]: Stretch): readonly Stretch[] {
  const touches = ([start, end]: Stretch) => start <= to + TOLERANCE_PX && from <= end + TOLERANCE_PX
  const merged = seen.filter(touches)
  const starts = [from, ...merged.map(([start]) => start)]
  const ends = [to, ...merged.map(([, end]) => end)]
  const all: Stretch[] = [...seen.filter((each) => !touches(each)), [Math.min(...starts), Math.max(...ends)]]
  return all.sort(([one], [other]) => one - other)
}

/** Where the unseen rest of a part of this height begins; undefined if all of the part was seen. */
function firstUnseen(seen: readonly Stretch[], height: number): number | undefined {
  const [first] = seen
  const end = first === undefined || first[0] > TOLERANCE_PX ? 0 : first[1]
  return end >= height - TOLERANCE_PX ? undefined : end
}

/** What is known about an element with `data-read`. `name`: the value of the attribute. `seen`: the stretches of it that have been visible. */
type Part = {
  readonly name: string
  readonly height: number
  readonly seen: readonly Stretch[]
  readonly isRead: boolean
}

/** A press of `Read to the end` scrolls by one uncovered window less this many lines. */
const KEPT_LINES = 2

/**
 * Follows whether all elements with `data-read` below `frame` have been read (`followParts`).
 *
 * @param onChange called when all parts have been read, and when an unread part joins them
 */
export function followReading(frame: HTMLElement, onChange: (isRead: boolean) => void) {
  let wasRead: boolean | undefined
  return followParts(frame, (parts) => {
    const isRead = parts.length > 0 && parts.every((part) => part.isRead)
    if (isRead !== wasRead) onChange(isRead)
    wasRead = isRead
  })
}

/**
 * Follows which names have been read: a name is the value of `data-read` of one or several elements below `frame`, and all of them have to be read.
 *
 * @param onChange called with the names that have been read, and whether all were, when this has changed
 */
export function followNames(frame: HTMLElement, onChange: (read: ReadonlySet<string>, isAll: boolean) => void) {
  let before = ""
  return followParts(frame, (parts) => {
    const unread = new Set(parts.flatMap(({ name, isRead }) => (isRead ? [] : [name])))
    const read = new Set(parts.map(({ name }) => name).filter((name) => !unread.has(name)))
    const state = JSON.stringify([[...read], unread.size])
    if (state !== before) onChange(read, unread.size === 0)
    before = state
  })
}

/**
 * Follows which of the elements with `data-read` below `frame` have been read: visible in full, at once or bit by bit.
 *
 * | a part                                   | counts as                                   |
 * | ---------------------------------------- | ------------------------------------------- |
 * | whose whole height has been visible      | read, from then on                          |
 * | that has another height than before      | unseen again, unless it is read             |
 * | whose `data-read` has another value      | unseen again                                |
 * | without a text                           | read, until it gets a text                  |
 * | with a text, but hidden (no height)      | unread                                      |
 *
 * @param onMeasured called with all parts after each measurement
 */
function followParts(frame: HTMLElement, onMeasured: (parts: readonly Part[]) => void) {
  const parts = new WeakMap<Element, Part>()
  /** The animation frame that `measureSoon` has requested. 0: none. */
  let requestedFrame = 0

  const elements = () => [...frame.querySelectorAll("[data-read]")]
  /** Adds what is visible of a part now. */
  const measure = (element: Element, uncovered: Stretch): Part => {
    const name = element.getAttribute("data-read") ?? ""
    const known = parts.get(element)
    const before = known?.name === name ? known : undefined
    if (before?.isRead === true && before.height > 0) return before
    const { height, top, bottom } = element.getBoundingClientRect()
    const hasSameHeight = before !== undefined && Math.abs(before.height - height) < 1
    const seenBefore = hasSameHeight ? before.seen : []
    const visible = [Math.max(top, uncovered[0]) - top, Math.min(bottom, uncovered[1]) - top] as const
    const isVisible = visible[0] < visible[1] && !document.hidden
    const seen = isVisible ? addStretch(seenBefore, visible) : seenBefore
    const hasNoText = height === 0 && element.textContent.trim() === ""
    const isRead = hasNoText || (height > 0 && firstUnseen(seen, height) === undefined)
    const part = { name, height, seen, isRead }
    parts.set(element, part)
    return part
  }
  const measureAll = () => {
    requestedFrame = 0
    const uncovered = uncoveredWindow(frame)
    onMeasured(elements().map((element) => measure(element, uncovered)))
  }
  const measureSoon = () => {
    requestedFrame ||= requestAnimationFrame(measureAll)
  }

  const ended = new AbortController()
  const options = { signal: ended.signal, capture: true, passive: true }
  addEventListener("scroll", measureSoon, options)
  addEventListener("resize", measureSoon, options)
  // A dialog above the letter covers it.
  document.addEventListener("close", measureSoon, options)
  document.addEventListener("visibilitychange", measureSoon, options)
  const size = new ResizeObserver(measureSoon)
  size.observe(frame)
  const additions = new MutationObserver(measureSoon)
  additions.observe(frame, { childList: true, subtree: true, attributeFilter: ["data-read"] })

  return {
    /** Scrolls towards the first unread part: back to it, or on by one uncovered window less two lines. */
    scrollOn: () => {
      // What the press before has shown is not drawn yet, so nobody has seen it.
      if (requestedFrame !== 0) return
      const uncovered = uncoveredWindow(frame)
      const all = elements()
      const unread = all.find((element) => parts.get(element)?.isRead !== true)
      const last = all.at(-1)
      if (unread === undefined || last === undefined) return
      const { top: partTop, height } = unread.getBoundingClientRect()
      const unseenTop = partTop + (firstUnseen(parts.get(unread)?.seen ?? [], height) ?? 0)
      const [top, bottom] = uncovered
      const lines = KEPT_LINES * (Number.parseFloat(getComputedStyle(unread).lineHeight) || 0)
      // At least one line, however low the window is.
      const page = Math.max(bottom - top - lines, lines / KEPT_LINES, 1)
      const restOfLetter = Math.max(last.getBoundingClientRect().bottom - bottom, 1)
      const scrolled = frame.closest("dialog") ?? window
      scrolled.scrollBy({ top: unseenTop < top ? unseenTop - top : Math.min(page, restOfLetter) })
      measureSoon()
    },
    stop: () => {
      cancelAnimationFrame(requestedFrame)
      ended.abort()
      size.disconnect()
      additions.disconnect()
    },
  }
}

/** The uncovered stretch of the window that shows most of the letter. Empty if the letter is outside the window. */
function uncoveredWindow(frame: HTMLElement): Stretch {
  const { left, right, top, bottom } = frame.getBoundingClientRect()
  const nothing: Stretch = [0, 0]
  // A Work's page may have a hundred letters, and a probe of each at every change would stop the page.
  if (bottom <= 0 || top >= innerHeight) return nothing
  const shownIn = ([from, to]: Stretch) => Math.min(to, bottom) - Math.max(from, top)
  const stretches = uncoveredStretches((Math.max(left, 0) + Math.min(right, innerWidth)) / 2)
  return stretches.toSorted((one, other) => shownIn(other) - shownIn(one))[0] ?? nothing
}

/** The stretches of the window, at `x`, between the bars and dialogs, also those of other letters on the page. */
function uncoveredStretches(x: number): readonly Stretch[] {
  const isOpenAt = (y: number) => !isCovered(x, y + 0.5)
  const stretches: Stretch[] = []
  let openFrom: number | undefined
  for (let y = 0; y < innerHeight + BAR_PX; y += BAR_PX) {
    const isOpen = y < innerHeight && isOpenAt(y)
    if (isOpen === (openFrom !== undefined)) continue
    const edge = firstPixel(y - BAR_PX, Math.min(y, innerHeight), (at) => isOpenAt(at) === isOpen)
    if (openFrom !== undefined) stretches.push([openFrom, edge])
    openFrom = isOpen ? edge : undefined
  }
  return stretches
}

/** Binary search: the first whole pixel after `from`, at most `to`, for which `isBeyond` is true. It must be true for `to`. */
function firstPixel(from: number, to: number, isBeyond: (at: number) => boolean): number {
  let [before, after] = [Math.max(from, -1), to]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (isBeyond(middle)) after = middle
    else before = middle
  }
  return after
}

function isCovered(x: number, y: number): boolean {
  for (let element = document.elementFromPoint(x, y); element !== null; element = element.parentElement) {
    if (element.matches("[data-letter]")) return false
    if (["fixed", "sticky"].includes(getComputedStyle(element).position)) return true
  }
  return false
}
