import { memo, type ReactNode } from "react"
import { stringifyJson } from "../../contract/int64.ts"
import styles from "./facts.module.css"
import { writeHidden } from "./hidden-characters.ts"
import { OutsideText } from "./outside-text.tsx"
import { MixedScripts } from "./mixed-scripts.tsx"

/** A list of names and their values. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={styles["facts"]}>{children}</dl>
}

/** The facts that few people need: ids, hashes, versions, the service's account. Closed at first. */
export function Details({ children }: { children: ReactNode }) {
  return (
    <details className={styles["details"]}>
      <summary className="soft small">Details</summary>
      <Facts>{children}</Facts>
    </details>
  )
}

type FactProps = {
  name: string
  /** Whether the value has to be seen before a decision: `followReading` (`seen-parts.ts`) follows the elements with `data-read`. */
  mustBeRead?: boolean
  children: ReactNode
}

/** One line of `Facts`. */
export function Fact({ name, mustBeRead = false, children }: FactProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd {...(mustBeRead && { "data-read": "" })}>{children}</dd>
    </>
  )
}

/** Shows the members of `of` that this version of the app does not know, without interpreting them. */
export function OtherFacts({ of, known }: { of: object; known: object }) {
  return Object.entries(of)
    .filter(([name, value]) => !Object.hasOwn(known, name) && value !== undefined)
    .map(([name, value]) => (
      <Fact key={name} name={writeHidden(name)}>
        <OutsideText multiline>{typeof value === "string" ? value : stringifyJson(value)}</OutsideText>
      </Fact>
    ))
}

type Props = {
  children: string
  /** The text before the change, where the change is shown. */
  was?: string | undefined
  multiline?: boolean
}

/** A text from outside, with its marks for look-alikes. Where the text changed, old and new are both shown in full. */
export const ChangedText = memo(function ChangedText({ children, was, multiline = false }: Props) {
  const now = (
    <>
      <OutsideText multiline={multiline}>{children}</OutsideText> <MixedScripts text={children} />
    </>
  )
  if (was === undefined || was === children) return now
  return (
    <span className={styles["pair"]}>
      <del className={styles["old"]}>
        <span className={styles["label"]}>Before</span>
        <OutsideText multiline={multiline}>{was}</OutsideText> <MixedScripts text={was} />
      </del>
      <ins className={styles["new"]}>
        <span className={styles["label"]}>Now</span>
        {now}
      </ins>
    </span>
  )
})

/** A line of `Facts` whose value may have changed. */
export function ChangedFact({ name, mustBeRead = false, ...text }: Props & Omit<FactProps, "children">) {
  return (
    <Fact name={name} mustBeRead={mustBeRead}>
      <ChangedText {...text} />
    </Fact>
  )
}
