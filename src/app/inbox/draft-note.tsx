import { useKept } from "../client/draft.ts"
import { type Entry } from "../client/storage.ts"

/** Says whether the browser keeps the draft, so that nobody loses it by a reload without a warning. */
export function DraftNote({ draft }: { draft: Pick<Entry<unknown>, "kept"> }) {
  const kept = useKept(draft)
  if (kept === "stored") return <span className="soft small">Draft kept</span>
  return (
    <output className="small">
      {kept === "page"
        ? "This text is not kept: the browser's storage is full or switched off. Copy it before you leave or reload this page."
        : "This is an older text: the browser's storage was full, and what was typed after it is lost."}
    </output>
  )
}
