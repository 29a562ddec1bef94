import { classes } from "./classes.ts"

type Props = {
  count: number
  limit: number
  unit?: string
  /** The id by which the disabled button names this count as its reason. */
  id?: string
}

/**
 * "131 / 4,000", and how much of the text is too long. Only the last tenth is announced, or a screen reader would read a number at every key.
 * `count` is in Unicode code points (`countCharacters`), or in `unit`.
 */
export function CharacterCount({ count, limit, unit = "characters", id }: Props) {
  const over = count - limit
  return (
    <span
      id={id}
      aria-live={count > limit * 0.9 ? "polite" : "off"}
      className={classes("small soft", over > 0 && "over")}
    >
      {count.toLocaleString("en")} / {limit.toLocaleString("en")}
      {over > 0 &&
        ` · ${over.toLocaleString("en")} ${over === 1 && unit === "characters" ? "character" : unit} too many`}
    </span>
  )
}
