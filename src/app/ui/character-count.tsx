import { classes } from "./classes.ts"

const grouped = new Intl.NumberFormat("en")

type Props = {
  count: number
  limit: number
  unit?: string
  /** For the button that it disables, to be described by it. */
  id?: string
}

/**
 * "131 / 4,000", and by how much a text is over. Only the last tenth is announced: a count at every key would drown the typing.
 * `count` is in the contract's characters (`countCharacters`) or whatever `unit` says.
 */
export function CharacterCount({ count, limit, unit = "characters", id }: Props) {
  const over = count - limit
  return (
    <span
      id={id}
      aria-live={count > limit * 0.9 ? "polite" : "off"}
      className={classes("small soft", over > 0 && "over")}
    >
      {grouped.format(count)} / {grouped.format(limit)}
      {over > 0 && ` · ${grouped.format(over)} ${over === 1 && unit === "characters" ? "character" : unit} too many`}
    </span>
  )
}
