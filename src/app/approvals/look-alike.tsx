/** A destination that looks like the one of a letter, in words. */
import type { ReactNode } from "react"
import type { LookAlike } from "../../contract/desk-work.ts"
import { countOf, pluralForm } from "../../contract/plural.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import styles from "./before-you-decide.module.css"

/** "Looks like bank@bank.example, approved twice: the “а” is Cyrillic." */
export function LooksLike(lookAlike: LookAlike) {
  return (
    <span>
      <strong className={styles["odd"]}>
        Looks like <Address>{lookAlike.destination}</Address>
      </strong>
      , {formatDecided(lookAlike)}: {reasonOf(lookAlike)}.
    </span>
  )
}

function formatDecided({ approved, declined }: LookAlike): string {
  if (approved > 0) return `approved ${formatTimes(approved)}`
  return declined > 0 ? `declined ${formatTimes(declined)} and never approved` : "which was never approved"
}

function reasonOf({ reason }: LookAlike): ReactNode {
  switch (reason.kind) {
    case "characters":
      return (
        <>
          the “<OutsideText>{reason.character}</OutsideText>” is {reason.script}
        </>
      )
    case "distance":
      return pluralForm(reason.edits, "one character differs", `${reason.edits} characters differ`)
    case "domain":
      return (
        <>
          <Address>{reason.domain}</Address> is only part of this domain
        </>
      )
  }
}

export function Address({ children }: { children: string }) {
  return (
    <span className="mono">
      <OutsideText>{children}</OutsideText>
    </span>
  )
}

/** "never", "twice", "3 times". */
export function formatTimes(count: number): string {
  return ["never", "once", "twice"][count] ?? countOf(count, "time")
}
