import { useRef, useState } from "react"
import { FREEZE_REASON_MAX } from "../../contract/desk-work.ts"
import { countCharacters } from "../../contract/limits.ts"
import { freeze } from "../client/freeze-state.ts"
import { useSession } from "../client/session.ts"
import { useWaiting } from "../client/waiting.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { formatExcess, Select, TextArea } from "../ui/field.tsx"
import { SendingDialog } from "../ui/sending-dialog.tsx"
import fieldStyles from "../ui/field.module.css"

type Props = {
  /** The colleagues of the open Work, by their ids. */
  colleagues: readonly string[]
  onClose: () => void
}

/** Asks what is frozen, and why. */
export function FreezeDialog({ colleagues, onClose }: Props) {
  const offered = useSession()?.colleagues ?? []
  const [colleague, setColleague] = useState<string>()
  const [reason, setReason] = useState("")
  const ids = [...new Set([...offered.map(({ id }) => id), ...colleagues])]
  const isFrozen = useWaiting(
    ({ waiting }) => waiting?.freezes?.some((each) => each.colleague === (colleague ?? null)) === true,
  )
  const isUnknown = useRef(false)
  const [unknown, setUnknown] = useState<string>()
  if (unknown !== undefined)
    return (
      <Dialog title="Frozen" onCancel={onClose}>
        <p>The desk hasn't seen any Work by {unknown}. Check that this is the right colleague.</p>
        <DialogActions>
          <Button kind="primary" onClick={onClose}>
            Close
          </Button>
        </DialogActions>
      </Dialog>
    )
  return (
    <SendingDialog
      title="Freeze"
      saw={undefined}
      action="Freeze"
      input={reason.trim() === "" ? undefined : { colleague: colleague ?? null, reason }}
      whyNot={formatExcess(countCharacters(reason.trim()), FREEZE_REASON_MAX)}
      send={async (_, change) => {
        isUnknown.current = (await freeze(change)).unknown_colleague === true
      }}
      kept="Your reason is kept."
      onClose={() => (isUnknown.current ? setUnknown(colleague) : onClose())}
    >
      {() => (
        <>
          <p className="small soft">
            Until the freeze ends, nobody can approve anything or create Work. Declining, answering and reading still
            work. Everybody sees your name and the reason.
          </p>
          <div className={fieldStyles["fields"]}>
            <Select
              label="Applies to"
              none="The whole desk"
              hint={isFrozen ? "This is already frozen. Your reason replaces the current one." : undefined}
              value={colleague}
              choices={ids.map((id) => [id, offered.find((each) => each.id === id)?.label ?? id])}
              onChoose={setColleague}
            />
            <TextArea
              label="Reason"
              data-autofocus=""
              required
              limit={FREEZE_REASON_MAX}
              value={reason}
              onText={setReason}
            />
          </div>
        </>
      )}
    </SendingDialog>
  )
}
