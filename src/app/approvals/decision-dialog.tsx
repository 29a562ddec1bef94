import { type KeyboardEvent, useId, useRef } from "react"
import { COMMENT_MAX_CHARACTERS, countCharacters } from "../../contract/limits.ts"
import type { Approval } from "../../contract/resources.ts"
import type { Entry } from "../client/storage.ts"
import { DraftNote } from "../inbox/draft-note.tsx"
import { Button } from "../ui/button.tsx"
import { ChangedText } from "../ui/changed-text.tsx"
import { CharacterCount } from "../ui/character-count.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { Fact, Facts } from "../ui/facts.tsx"
import { Field } from "../ui/field.tsx"
import { NewerVersion } from "../inbox/newer-version.tsx"
import { useArmed } from "../inbox/use-armed.ts"
import type { Decision } from "./use-decision.ts"

type Props = {
  decision: Decision
  /** What is on the screen. */
  shown: Approval
  /** The version that has come since, if one has. */
  newer: Approval | undefined
  onShowNewer: () => void
  draft: Entry<string>
  comment: string
  onComment: (comment: string) => void
  onConfirm: () => void
  onCancel: () => void
}

/** The last look before a decision: where it goes, what it is about, and a reason. Only its own button decides. */
export function DecisionDialog(props: Props) {
  const { decision, shown, newer, onShowNewer, draft, comment, onComment, onConfirm, onCancel } = props
  const count = countCharacters(comment)
  const armed = useArmed(`${decision} ${String(shown.version)} ${String(newer?.version)}`)
  const heldKeys = useHeldKeys()
  const countId = useId()
  return (
    <Dialog title={decision === "approve" ? "Approve this?" : "Decline this?"} onCancel={onCancel}>
      <div {...heldKeys}>
        {newer && <NewerVersion version={newer.version} onShow={onShowNewer} />}
        <Facts>
          <Fact name="To">
            <span className="mono">
              <ChangedText>{shown.destination}</ChangedText>
            </span>
          </Fact>
          <Fact name="Subject">
            <ChangedText>{shown.subject}</ChangedText>
          </Fact>
          <Fact name="Version">{String(shown.version)}</Fact>
        </Facts>
        <div style={{ marginTop: 16 }}>
          <Field
            label="Comment"
            aside="optional"
            count={<CharacterCount id={countId} count={count} limit={COMMENT_MAX_CHARACTERS} />}
          >
            {(control) => (
              <textarea
                {...control}
                data-autofocus=""
                value={comment}
                onChange={(event) => onComment(event.target.value)}
              />
            )}
          </Field>
        </div>
        {comment !== "" && <DraftNote draft={draft} />}
        <DialogActions>
          <Button
            kind={decision === "approve" ? "primary" : "danger"}
            onClick={onConfirm}
            disabled={!armed || count > COMMENT_MAX_CHARACTERS}
            aria-describedby={countId}
          >
            Confirm {decision}
          </Button>
          <Button onClick={onCancel}>Cancel</Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}

/**
 * A key that is held while the dialog opens neither types into the comment nor presses anything, and a held Enter presses no button:
 * it was meant for what stood there before (asks: "typing meant for a text box must never approve anything").
 */
function useHeldKeys() {
  const held = useRef(true)
  return {
    onKeyDownCapture: (event: KeyboardEvent) => {
      if (!event.repeat) held.current = false
      else if (held.current || !(event.target instanceof HTMLTextAreaElement)) event.preventDefault()
    },
    onKeyUpCapture: () => {
      held.current = false
    },
  }
}
