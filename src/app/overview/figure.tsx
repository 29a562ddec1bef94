import { type ReactNode, useEffect, useId, useRef, useState } from "react"
import { Button } from "../ui/button.tsx"
import styles from "./overview.module.css"

type Props = {
  name: string
  /** The figure's message in a sentence. */
  caption: string
  table: ReactNode
  children: ReactNode
}

/** A plot with its message, which can be shown as a table. */
export function Figure({ name, caption, table, children }: Props) {
  const [asTable, setAsTable] = useState(false)
  const id = useId()
  return (
    <figure className={styles["figure"]} aria-labelledby={`${id}-name`} aria-describedby={`${id}-caption`}>
      <figcaption className={styles["caption"]}>
        <h2 id={`${id}-name`}>{name}</h2>
        <span id={`${id}-caption`} className="soft small">
          {caption}
        </span>
        <Button kind="plain" size="small" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          Show as table
        </Button>
      </figcaption>
      {asTable ? (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it (WCAG 2.1.1)
        <section className={styles["scroll"]} aria-label={`${name} as a table`} tabIndex={0}>
          {table}
        </section>
      ) : (
        children
      )}
    </figure>
  )
}

/** The numbers of a figure as a table. The first cell of each row names the row. */
export function Numbers({ head, rows }: { head: readonly string[]; rows: readonly (readonly ReactNode[])[] }) {
  return (
    <table className={styles["numbers"]}>
      <thead>
        <tr>
          {head.map((each) => (
            <th key={each} scope="col">
              {each}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first, ...others], index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the rows have no ids, and are always rendered as a whole
          <tr key={index}>
            <th scope="row">{first}</th>
            {others.map((cell, column) => (
              <td key={head[column + 1]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The length of a bar in pixels: `length` for the count `most`, and at least 2 for any count above 0, so that the bar is visible. */
export const barLength = (count: number, most: number, length: number): number =>
  count === 0 ? 0 : Math.max(2, (count / most) * length)

/** The width of an element in pixels. A plot is drawn at the width of its place, so that its letters keep their size. */
export function useWidth() {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(720)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const observer = new ResizeObserver(
      ([entry]) => entry && setWidth(Math.max(240, Math.floor(entry.contentRect.width))),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { ref, width }
}

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

export type Placed<Mark> = { readonly mark: Mark; readonly x: number; readonly y: number }

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
