import { type ReactNode, useId } from "react"
import styles from "./card.module.css"
import { classes } from "./classes.ts"

type Props = {
  title: ReactNode
  /** Shown at the right of the title: the age. */
  aside?: ReactNode
  /** Draws the frame in the accent: this needs the person. */
  needs?: boolean
  /** 2 for the one item of the inbox, 3 for the items on the page of a Work. */
  level?: 2 | 3
  children: ReactNode
}

/** A clarification, an approval or a tombstone: a head and a body. It has a frame where other cards are beside it. */
export function Card({ title, aside, needs = false, level = 2, children }: Props) {
  const id = useId()
  const Heading = level === 2 ? "h2" : "h3"
  return (
    <article
      aria-labelledby={id}
      className={classes(level === 2 ? styles["bare"] : styles["framed"], needs && styles["needs"])}
    >
      <header className={styles["head"]}>
        <Heading id={id} tabIndex={-1}>
          {title}
        </Heading>
        {aside}
      </header>
      <div className={styles["body"]}>{children}</div>
    </article>
  )
}

/** The row of buttons below a card's text. */
export function CardActions({ children }: { children: ReactNode }) {
  return <div className={styles["act"]}>{children}</div>
}
