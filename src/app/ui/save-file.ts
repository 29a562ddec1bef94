/** How long the browser has to start reading a file before the address of the file is revoked. */
const KEPT_MS = 120_000

/** Has the browser save `content` as a file called `name` (`safeFileName` makes a safe one). The content is never opened as a page. */
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
