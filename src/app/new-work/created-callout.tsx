import { Link } from "react-router"
import { boolean, type InferOutput, object, string } from "valibot"
import { defineKind, useEntry } from "../client/storage.ts"
import { workAddress } from "../inbox/addresses.ts"
import { Button } from "../ui/button.tsx"
import { Callout, CalloutLine } from "../ui/callout.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import styles from "./new-work.module.css"

/** A Work that was created while the person was not at the form, or without what they changed meanwhile. */
const created = object({
  workId: string(),
  title: string(),
  replayed: boolean(),
  /** Whether the form holds changes that the person made after sending. They are not part of the Work. */
  draftStays: boolean(),
})

type Created = InferOutput<typeof created>

/** Kept until the person dismisses the callout, at most 30 days. */
export const createdWork = defineKind<readonly [], Created>({
  name: "created-work",
  version: 2,
  schema: created,
  forgetAfterMs: 30 * 24 * 60 * 60_000,
})

/** Says on the form that a Work was created meanwhile. */
export function CreatedCallout() {
  const created = useEntry(createdWork())
  const dismiss = () => createdWork().remove()
  if (created === undefined) return null
  return (
    <Callout announce="status" tone="good" icon="done">
      <div>
        {createdWords(created)}{" "}
        <Link to={workAddress(created.workId)} className={styles["link"]} onClick={dismiss}>
          <OutsideText>{created.title}</OutsideText>
        </Link>
      </div>
      <CalloutLine>
        <Button size="small" onClick={dismiss}>
          Dismiss
        </Button>
      </CalloutLine>
    </Callout>
  )
}

function createdWords({ draftStays, replayed }: Created): string {
  if (draftStays)
    return "What you changed after sending is kept below as a new draft. This Work was created without it:"
  return replayed ? "This Work was already recorded:" : "While you were away this Work was created:"
}
