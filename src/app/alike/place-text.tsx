/** The texts at the places where letters differ. */
import { Fragment } from "react"
import styles from "./alike.module.css"
import type { LetterPart } from "./alike-letters.ts"
import type { ShownPlace } from "./shown-places.ts"
import { MixedScripts } from "../ui/mixed-scripts.tsx"
import { OutsideText } from "../ui/outside-text.tsx"

/** The texts look the same although their code points differ, or one of them shows nothing. */
const looksLike = (text: string, first: string) =>
  text.trim() === "" || (text !== first && plainForm(text) === plainForm(first))

const plainForm = (text: string) => text.replaceAll("\r\n", "\n").normalize("NFKC").replaceAll(/\s+/g, " ")

/** `U+0020 U+0301`: each code point of the text that is not printable ASCII, and white space. */
const spellOut = (text: string) =>
  Array.from(text)
    .filter((character) => !/[!-~]/.test(character))
    .map((character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`)
    .join(" ")

/** The text of a letter at a place, in full. `first` is the first letter's text there. */
export function PlaceText({ text, first }: { text: string; first: string }) {
  if (text === "") return <span className="soft">left out</span>
  const points = looksLike(text, first) ? spellOut(text) : ""
  return (
    <>
      <OutsideText multiline>{text}</OutsideText> <MixedScripts text={text} />
      {points !== "" && <span className={styles["points"]}>{points}</span>}
    </>
  )
}

type Props = { text: string; part: LetterPart; places: readonly ShownPlace[] }

/** A part of the first letter, with its places marked and numbered. */
export function MarkedText({ text, part, places }: Props) {
  const own = places.map((place, index) => ({ ...place, number: index + 1 })).filter((place) => place.part === part)
  return (
    <span className={styles["marked"]}>
      {own.map(({ from, to, number }, index) => (
        <Fragment key={number}>
          <OutsideText multiline>{text.slice(own[index - 1]?.to ?? 0, from)}</OutsideText>
          <mark>
            <span className={styles["number"]}>{number}</span>
            <OutsideText multiline>{text.slice(from, to)}</OutsideText>
          </mark>
        </Fragment>
      ))}
      <OutsideText multiline>{text.slice(own.at(-1)?.to ?? 0)}</OutsideText> <MixedScripts text={text} />
    </span>
  )
}
