import type { ReactNode } from "react"
import { classes } from "./classes.ts"
import { Icon, type IconName } from "./icon.tsx"
import { OutsideText } from "./outside-text.tsx"
import styles from "./status.module.css"

type Tone = "neutral" | "needs" | "good" | "warn" | "bad"

type StatusProps = { tone?: Tone | undefined; icon: IconName; children: ReactNode }

/** A state as an icon with a word, never a colour alone. */
export function Status({ tone = "neutral", icon, children }: StatusProps) {
  return (
    <span className={classes(styles["status"], tone !== "neutral" && styles[tone])}>
      <Icon name={icon} size={15} />
      <span>{children}</span>
    </span>
  )
}

const known: Readonly<Record<string, { tone: Tone; icon: IconName; word: string }>> = {
  working: { tone: "neutral", icon: "working", word: "Working" },
  needs_you: { tone: "needs", icon: "needs", word: "Needs You" },
  paused: { tone: "warn", icon: "paused", word: "Paused" },
  done: { tone: "good", icon: "done", word: "Done" },
}

const stateOf = (status: string) => (Object.hasOwn(known, status) ? known[status] : undefined)

/** The word for a status of a Work. An unknown status is returned as it is. */
export const statusWord = (status: string): string => stateOf(status)?.word ?? status

/** The status of a Work. An unknown value is shown as it was sent. */
export function WorkStatusMark({ status }: { status: string }) {
  const state = stateOf(status)
  return (
    <Status tone={state?.tone} icon={state?.icon ?? "unknown"}>
      {state?.word ?? <OutsideText>{status}</OutsideText>}
    </Status>
  )
}

const priorityWords: Readonly<Record<string, string>> = { low: "Low", normal: "Normal", high: "High", urgent: "Urgent" }

/** A priority in words. */
export const priorityWord = (priority: string): string => wordOf(priority, priorityWords)

/** The word for a value of the API. An unknown value is returned as it is. */
export function wordOf(value: string, words: Readonly<Record<string, string>>): string {
  return (Object.hasOwn(words, value) ? words[value] : undefined) ?? value
}
