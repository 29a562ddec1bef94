/** How long the browser may take to begin with a file before its address is given up. */
const KEPT_MS = 120_000

/** Hands a content to the browser, which saves it under `name` (`safeFileName` makes one safe); it is never opened as a page. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement("a")
  link.href = address
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS)
}
