import { type ReactNode, useRef, useState } from "react"
import { useDeskMutation } from "../client/desk-writes.ts"
import { Button } from "./button.tsx"
import { Dialog, DialogActions } from "./dialog.tsx"
import { ErrorAlert } from "./error-alert.tsx"

/** What the content of the dialog may do. */
export type Sending<Saw, Input> = {
  /** What the person saw when the dialog was opened. */
  readonly saw: Saw
  readonly send: (input: Input) => void
  readonly isSending: boolean
}

type Props<Saw, Input> = {
  title: string
  /** The version, the ETag or the thing that the dialog is about. The dialog keeps it as it was at its opening. */
  saw: Saw
  /** The word on the button that sends. */
  action: string
  /** What that button sends; undefined while something is missing. */
  input: Input | undefined
  /** Why nothing can be sent. */
  whyNot?: string | undefined
  /** @throws DeskError */
  send: (saw: Saw, input: Input) => Promise<unknown>
  /** What stays as it was, after an error. */
  kept?: string
  onClose: () => void
  children: (sending: Sending<Saw, Input>) => ReactNode
}

/**
 * A dialog that writes to the desk about what the person saw when it was opened. While it sends there is no way out, because nothing could take the
 * write back, and it says so. It closes itself after the answer, and no other dialog.
 */
export function SendingDialog<Saw, Input>(props: Props<Saw, Input>) {
  const { title, action, input, whyNot, kept, onClose, children } = props
  const [saw] = useState(props.saw)
  const form = useRef<HTMLFormElement>(null)
  const { mutate, isPending, error } = useDeskMutation((sent: Input) => props.send(saw, sent), {
    // A person may have gone back to another page meanwhile, which may have a dialog of its own.
    onDone: () => form.current !== null && onClose(),
  })
  return (
    <Dialog title={title} locked={isPending} onCancel={() => isPending || onClose()}>
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (input !== undefined && whyNot === undefined) mutate(input)
        }}
      >
        {children({ saw, send: (sent) => mutate(sent), isSending: isPending })}
        <ErrorAlert error={error} {...(kept !== undefined && { kept })} compact />
        <output className="small soft">{isPending && "Sending. This can't be cancelled."}</output>
        <DialogActions>
          <Button
            type="submit"
            kind="primary"
            disabled={input === undefined && whyNot === undefined}
            inactive={whyNot ?? isPending}
          >
            {action}
          </Button>
          <Button inactive={isPending} onClick={onClose}>
            Cancel
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
