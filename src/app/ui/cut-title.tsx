import { classes } from "./classes.ts"
import styles from "./cut-title.module.css"
import { OutsideText } from "./outside-text.tsx"

/** A title in one line. Where the line is too short its beginning is cut, so that its end stays visible: there stands what tells titles apart. */
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

/** The longest end of several words in characters: a narrow list has room for as many. A longer word at the end stands alone. */
const END_MAX = 28
const WORD_MAX = 80

/** The title in two parts. They are parted before a word, because a screen reader would read the parts of a word as two. */
export function splitTitle(title: string): readonly [beginning: string, end: string] {
  if (title.length <= END_MAX) return ["", title]
  const space = title.slice(-END_MAX - 1).search(/\s\S/u)
  const at = space === -1 ? title.trimEnd().search(/\S+$/u) : title.length - END_MAX + space
  return title.length - at > WORD_MAX ? ["", title] : [title.slice(0, at), title.slice(at)]
}

/** Whether the first letter is of a script that is written from right to left. */
const isRightToLeft = (text: string): boolean =>
  /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(text)
