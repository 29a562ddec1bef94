/** How long the browser may take to begin with a file before its address is given up. */
const KEPT_MS = 120_000

/** Hands the browser a content to save under `name`, in which characters that a file name cannot have become `_`. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement("a")
  link.href = address
  link.download = name.replace(/[^\p{L}\p{N}._-]/gu, "_")
  document.body.append(link)
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS)
}
