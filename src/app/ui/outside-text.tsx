import { Fragment, memo } from "react"
import { classes } from "./classes.ts"
import { LINE_MARKS_MAX, splitHidden, type TextPart } from "./hidden-characters.ts"
import styles from "./outside-text.module.css"

type Props = {
  children: string
  /** Keeps line breaks and spaces as they were sent. */
  multiline?: boolean
  /** Our own words for an empty text. */
  empty?: string
  className?: string | undefined
}

/**
 * Text from outside, as plain text, whose direction does not affect the text around it. In place of characters that are invisible or change
 * the direction, the code point is shown. The text may be long, so it is examined only when it changes.
 */
export const OutsideText = memo(function OutsideText({ children, multiline = false, empty, className }: Props) {
  if (empty !== undefined && children.trim() === "") return <span className="soft">{empty}</span>
  return (
    <OutsideParts
      parts={splitHidden(children, multiline ? undefined : LINE_MARKS_MAX)}
      multiline={multiline}
      className={className}
    />
  )
})

type PartsProps = { parts: readonly TextPart[]; multiline?: boolean; className?: string | undefined }

/** `OutsideText` of a text that was split already, by a worker. */
export const OutsideParts = memo(function OutsideParts({ parts, multiline = false, className }: PartsProps) {
  const [first] = parts
  // A text that is the only child replaces whatever a browser has put in its place (docs/decisions/07-no-translation.md).
  const isOneText = parts.length === 1 && first !== undefined && "text" in first
  return (
    <bdi dir="auto" className={classes(multiline && styles["multiline"], className) || undefined}>
      {isOneText
        ? first.text
        : parts.map((part, index) =>
            "text" in part ? (
              <Fragment key={index}>{part.text}</Fragment>
            ) : (
              <span key={index} className={styles["hidden"]} title="Hidden characters">
                {part.hidden}
              </span>
            ),
          )}
    </bdi>
  )
})

/** A name from outside after the words of a button, for assistive technology: it distinguishes equal buttons. */
export function HiddenName({ children }: { children: string }) {
  return (
    <span className="visually-hidden">
      {" "}
      <OutsideText>{children}</OutsideText>
    </span>
  )
}
