import { Button } from "../ui/button.tsx"
import { Notice, NoticeLine } from "../ui/notice.tsx"

/** Says that there is a newer version, with a button that shows it. */
export function NewerVersion({ version, onShow }: { version: bigint; onShow: () => void }) {
  return (
    <Notice announce="status" tone="warn" icon="refresh" compact>
      <NoticeLine>
        A newer version has come. What you are reading stays until you ask for it.
        <Button size="small" onClick={onShow}>
          Show version {String(version)}
        </Button>
      </NoticeLine>
    </Notice>
  )
}

/** Says that the newer version is on the screen, with what has changed. */
export function ShowsChange({ version, before }: { version: bigint; before: bigint }) {
  return (
    <Notice announce="status" tone="warn" icon="refresh" compact>
      This is version {String(version)}. What changed since version {String(before)} is marked, with the old text beside
      the new.
    </Notice>
  )
}
