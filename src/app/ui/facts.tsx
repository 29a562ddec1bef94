import type { ReactNode } from "react"
import { stringifyJson } from "../../contract/int64.ts"
import styles from "./facts.module.css"
import { OutsideText } from "./outside-text.tsx"

/** A list of names and their values. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={styles["facts"]}>{children}</dl>
}

/** One line of `Facts`. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

/** Shows the members of `of` that this version of the app does not know, without interpreting them. */
export function OtherFacts({ of, known }: { of: object; known: readonly string[] }) {
  return Object.entries(of)
    .filter(([name, value]) => !known.includes(name) && value !== undefined)
    .map(([name, value]) => (
      <Fact key={name} name={name}>
        <OutsideText multiline>{typeof value === "string" ? value : stringifyJson(value)}</OutsideText>
      </Fact>
    ))
}
