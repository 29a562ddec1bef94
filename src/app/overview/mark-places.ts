/** Where the marks and bars of the figure `What waits` stand, by how long the items have waited. */

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const WEEK = 7 * DAY

/** The ends of the axis of `What waits`, in seconds. */
const SHORTEST = MINUTE
const LONGEST = 5 * WEEK

export const waitTicks = [
  { seconds: MINUTE, label: "1 min" },
  { seconds: 10 * MINUTE, label: "10 min" },
  { seconds: HOUR, label: "1 h" },
  { seconds: 10 * HOUR, label: "10 h" },
  { seconds: DAY, label: "1 day", needsRoom: true },
  { seconds: WEEK, label: "1 week" },
  { seconds: 3 * WEEK, label: "3 weeks", needsRoom: true },
] as const

/** The place of a wait in seconds on the logarithmic axis, from 0 to 1. A wait beyond an end of the axis is put at that end. */
export function waitPosition(seconds: number): number {
  const bounded = Math.min(Math.max(seconds, SHORTEST), LONGEST)
  return Math.log(bounded / SHORTEST) / Math.log(LONGEST / SHORTEST)
}

/** How many of `waits`, in seconds, lie between each tick and the next. A wait beyond an end counts at that end. */
export function countBetweenTicks(waits: readonly number[]): readonly number[] {
  const counts = waitTicks.map(() => 0)
  for (const wait of waits) {
    const at = Math.max(
      0,
      waitTicks.findLastIndex(({ seconds }) => seconds <= wait),
    )
    counts[at] = (counts[at] ?? 0) + 1
  }
  return counts
}

type Placed<Mark> = { readonly mark: Mark; readonly x: number; readonly y: number }

const SMALLEST = 4
/** The widths of a mark in pixels, the usual one first. */
const SIZES = [12, 10, 8, 6, SMALLEST] as const

/** The stacks of the marks that stand at the same place, where each mark is `size` wide. */
function stacksOf<Mark>(marks: readonly Mark[], xOf: (mark: Mark) => number, size: number): readonly Mark[][] {
  return [...Map.groupBy(marks, (mark) => Math.round(xOf(mark) / size)).values()]
}

/** The number of marks in the highest stack. */
const highest = (stacks: readonly (readonly unknown[])[]) => Math.max(0, ...stacks.map((stack) => stack.length))

/** The largest size at which no stack of marks is higher than `height`, or the smallest one. */
export function chooseMarkSize<Mark>(marks: readonly Mark[], xOf: (mark: Mark) => number, height: number): number {
  return SIZES.find((size) => highest(stacksOf(marks, xOf, size)) * size <= height) ?? SMALLEST
}

/**
 * Places marks along the axis, in pixels. Marks at the same place are stacked upwards. Where a stack would be higher than `height`, its marks
 * overlap evenly.
 */
export function placeMarks<Mark>(
  marks: readonly Mark[],
  xOf: (mark: Mark) => number,
  size: number,
  height: number,
): { readonly placed: readonly Placed<Mark>[]; readonly height: number } {
  const stacks = stacksOf(marks, xOf, size)
  const marksOnTop = Math.max(0, highest(stacks) - 1)
  const step = marksOnTop === 0 ? 0 : Math.min(size, (height - size) / marksOnTop)
  const usedHeight = size + step * marksOnTop
  const placed = stacks.flatMap((stack) =>
    stack.map((mark, index) => ({ mark, x: xOf(mark), y: usedHeight - size / 2 - step * index })),
  )
  return { placed, height: usedHeight }
}
