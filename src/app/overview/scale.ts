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
  { seconds: DAY, label: "1 day", isShort: true },
  { seconds: WEEK, label: "1 week" },
  { seconds: 3 * WEEK, label: "3 weeks", isShort: true },
] as const

/** The place of a wait in seconds on the logarithmic axis, from 0 to 1. A wait beyond an end of the axis is put at that end. */
export function waitPosition(seconds: number): number {
  const bounded = Math.min(Math.max(seconds, SHORTEST), LONGEST)
  return Math.log(bounded / SHORTEST) / Math.log(LONGEST / SHORTEST)
}

export type Placed<Mark> = { readonly mark: Mark; readonly x: number; readonly y: number }

/** The widths of a mark in pixels, the usual one first. */
const SIZES = [12, 10, 8, 6, 4] as const

/** The largest size at which no stack of marks is higher than `height`, or the smallest one. */
export function chooseMarkSize<Mark>(marks: readonly Mark[], xOf: (mark: Mark) => number, height: number): number {
  const fits = (size: number) => {
    const stacks = new Map<number, number>()
    for (const mark of marks) {
      const column = Math.round(xOf(mark) / size)
      stacks.set(column, (stacks.get(column) ?? 0) + 1)
    }
    return Math.max(0, ...stacks.values()) * size <= height
  }
  return SIZES.find(fits) ?? SIZES[SIZES.length - 1] ?? 0
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
  const columns = Map.groupBy(marks, (mark) => Math.round(xOf(mark) / size))
  const most = Math.max(1, ...[...columns.values()].map((column) => column.length))
  const step = most === 1 ? 0 : Math.min(size, (height - size) / (most - 1))
  const used = size + step * (most - 1)
  const placed = [...columns.values()].flatMap((column) =>
    column.map((mark, index) => ({ mark, x: xOf(mark), y: used - size / 2 - step * index })),
  )
  return { placed, height: used }
}
