import { Button } from "../ui/button.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { Fact, Facts } from "../ui/facts.tsx"
import { Kbd, modKey } from "../ui/kbd.tsx"

const keys: readonly (readonly [does: string, keys: readonly string[]])[] = [
  ["Next", ["J"]],
  ["Previous", ["K"]],
  ["Open the selected Work", ["Enter"]],
  ["Move within a list that has the focus", ["↑", "↓", "Home", "End"]],
  ["Find in the list", ["/"]],
  ["Approve, decline", ["A", "D"]],
  ["Send the answer that you type", [modKey, "Enter"]],
  ["Close a dialog", ["Esc"]],
  ["This help", ["?"]],
]

/** Every key that Workdesk listens to. None of them acts while you type. */
export function ShortcutsHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onCancel={onClose}>
      <Facts>
        {keys.map(([does, combination]) => (
          <Fact key={does} name={does}>
            {combination.map((key) => (
              <span key={key}>
                <Kbd>{key}</Kbd>{" "}
              </span>
            ))}
          </Fact>
        ))}
      </Facts>
      <DialogActions>
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  )
}
