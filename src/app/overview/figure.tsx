import { type ReactNode, useCallback, useId, useState } from "react"
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

/** The width of an element in pixels, and the `ref` of that element. A plot is drawn at the width of its place, so that its letters keep their size. */
export function useWidth() {
  const [width, setWidth] = useState(720)
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined
    const observer = new ResizeObserver(
      ([entry]) => entry && setWidth(Math.max(240, Math.floor(entry.contentRect.width))),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { ref, width }
}
