import { Button } from "../ui/button.tsx"
import { Notice, NoticeLine } from "../ui/notice.tsx"

/** Says that what is being read has a newer version, and waits until that is asked for (design, "What must be true" 2). */
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
