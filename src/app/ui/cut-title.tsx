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

/** The longest end in characters. A narrow list has room for as many. */
const END_MAX = 28

/** The title in two parts, the second of which is at most `END_MAX` long. They are parted before a word where that is possible. */
export function splitTitle(title: string): readonly [beginning: string, end: string] {
  if (title.length <= END_MAX) return ["", title]
  const space = title.slice(-END_MAX - 1).search(/\s\S/u)
  if (space !== -1) {
    const at = title.length - END_MAX - 1 + space + 1
    return [title.slice(0, at), title.slice(at)]
  }
  const at = title.length - END_MAX
  // Not between the halves of a character.
  const isInCharacter = /[\uDC00-\uDFFF]/.test(title.charAt(at))
  return [title.slice(0, isInCharacter ? at + 1 : at), title.slice(isInCharacter ? at + 1 : at)]
}

/** Whether the first letter is of a script that is written from right to left. */
const isRightToLeft = (text: string): boolean =>
  /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(text)
