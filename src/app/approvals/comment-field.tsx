/** The comment in a dialog that decides. */
import { useRef, useState } from "react"
import { flushSync } from "react-dom"
import styles from "./approvals.module.css"
import { COMMENT_MAX_CHARACTERS, countCharacters } from "../../contract/limits.ts"
import type { Entry } from "../client/storage.ts"
import { DraftNote } from "../inbox/decision-callout.tsx"
import { Button } from "../ui/button.tsx"
import { formatExcess, TextArea } from "../ui/field.tsx"

type CommentOptions = {
  readonly text: string
  readonly setText: (text: string) => void
  readonly draft: Pick<Entry<string>, "kept">
  /** Why a decision needs the comment, and what it is then called. */
  readonly asked?: { readonly label: string; readonly hint: string } | undefined
}

/** The comment of a dialog. On a coarse pointer it is folded until the person opens it, unless it is asked for. */
export function useComment(options: CommentOptions) {
  const { text, asked } = options
  const [isFolded, setIsFolded] = useState(asked === undefined && isCoarsePointer() && text === "")
  const field = useRef<HTMLTextAreaElement>(null)
  return {
    /** By how much the comment is too long, in words. Undefined if it isn't. */
    excess: formatExcess(countCharacters(text), COMMENT_MAX_CHARACTERS),
    /** Moves the focus to the end of the comment. */
    focus: () => {
      flushSync(() => setIsFolded(false))
      field.current?.focus()
      field.current?.setSelectionRange(text.length, text.length)
    },
    props: { ...options, field, isFolded, unfold: () => setIsFolded(false) },
  }
}

export const isCoarsePointer = () => matchMedia("(pointer: coarse)").matches

/** The field of `useComment`. */
export function CommentField({
  text,
  setText,
  draft,
  asked,
  field,
  isFolded,
  unfold,
}: ReturnType<typeof useComment>["props"]) {
  if (isFolded)
    return (
      <Button kind="plain" className={styles["fold"]} aria-expanded={false} onClick={unfold}>
        Add a comment
      </Button>
    )
  return (
    <>
      <div className={styles["comment"]}>
        <TextArea
          label={asked?.label ?? "Comment"}
          {...(asked === undefined ? { aside: "optional" } : { required: true, hint: asked.hint })}
          limit={COMMENT_MAX_CHARACTERS}
          ref={field}
          {...(asked !== undefined && !isCoarsePointer() && { "data-autofocus": "" })}
          value={text}
          onText={setText}
        />
      </div>
      {text !== "" && <DraftNote draft={draft} />}
    </>
  )
}
