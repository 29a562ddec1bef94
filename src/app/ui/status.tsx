import type { ReactNode } from "react"
import { PRIORITIES } from "../../contract/work-order.ts"
import { useWorkWait, type WorkWait } from "../client/work-wait.ts"
import { classes } from "./classes.ts"
import { Icon, type IconName } from "./icon.tsx"
import { lookUp } from "./look-up.ts"
import { OutsideText } from "./outside-text.tsx"
import styles from "./status.module.css"

export type Tone = "neutral" | "needs" | "good" | "warn" | "bad"

/** How a state looks, and its word. */
export type Look = { readonly tone: Tone; readonly icon: IconName; readonly word: string }

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

const known: Readonly<Record<string, Look>> = {
  working: { tone: "neutral", icon: "working", word: "Working" },
  needs_you: { tone: "needs", icon: "needs", word: "Needs You" },
  paused: { tone: "warn", icon: "paused", word: "Paused" },
  done: { tone: "good", icon: "done", word: "Done" },
}

/** The word for a status of a Work. An unknown status is returned as it is. */
export const statusWord = (status: string): string => lookUp(known, status)?.word ?? status

/** The status of a Work that waits for somebody else. */
const waits: Readonly<Record<Exclude<WorkWait, "you">, Look>> = {
  answer: { tone: "neutral", icon: "question", word: "Waiting for an answer" },
  decision: { tone: "neutral", icon: "approvals", word: "Waiting for a decision" },
}

const lookOf = (status: string, wait: WorkWait | undefined): Look | undefined =>
  wait === undefined || wait === "you" ? lookUp(known, status) : waits[wait]

type WorkShown = Parameters<typeof useWorkWait>[0]

/** The text for the status of a Work. It is `Needs You` only if one of the Work's items needs the person. */
export function useWorkStatus(work: WorkShown): string {
  return lookOf(work.status, useWorkWait(work))?.word ?? work.status
}

/** The status of a Work. An unknown value is shown as it was sent. */
export function WorkStatusMark({ work }: { work: WorkShown }) {
  const state = lookOf(work.status, useWorkWait(work))
  return (
    <Status tone={state?.tone} icon={state?.icon ?? "unknown"}>
      {state?.word ?? <OutsideText>{work.status}</OutsideText>}
    </Status>
  )
}

const priorityWords = { urgent: "Urgent", high: "High", normal: "Normal", low: "Low" } as const

/** The word for a priority. An unknown priority is returned as it is. */
export const priorityWord = (priority: string): string => lookUp(priorityWords, priority) ?? priority

/** The priorities to choose from, each with its word, the most urgent first. */
export const priorityChoices = PRIORITIES.map((priority) => [priority, priorityWords[priority]] as const)
