import { classes } from "./classes.ts"
import styles from "./cut-title.module.css"
import { OutsideText } from "./outside-text.tsx"

/** A title in one line. If it doesn't fit, its beginning is cut and its end stays visible, because the end is where titles differ. */
export function CutTitle({ children: title, className }: { children: string; className?: string | undefined }) {
  const [beginning, end] = splitTitle(title)
  return (
    <div className={classes(styles["line"], className)} dir={isRightToLeft(title) ? "rtl" : "ltr"}>
      {beginning !== "" && (
        <span className={styles["beginning"]}>
          <OutsideText>{beginning}</OutsideText>
        </span>
      )}
      <span className={beginning === "" ? styles["beginning"] : styles["end"]}>
        <OutsideText empty="Untitled">{end}</OutsideText>
      </span>
    </div>
  )
}

/** The length of the end in characters, which fits into a narrow list. A longer last word, up to `WORD_MAX`, is the end by itself. */
const END_MAX = 28
const WORD_MAX = 80

/** Splits a title before a word, because a screen reader would read the halves of a word as two words. */
export function splitTitle(title: string): readonly [beginning: string, end: string] {
  if (title.length <= END_MAX) return ["", title]
  const space = title.slice(-END_MAX - 1).search(/\s\S/u)
  const at = space === -1 ? title.trimEnd().search(/\S+$/u) : title.length - END_MAX + space
  return title.length - at > WORD_MAX ? ["", title] : [title.slice(0, at), title.slice(at)]
}

/** Whether the first letter is of a script that is written from right to left. */
const isRightToLeft = (text: string): boolean =>
  /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(text)
