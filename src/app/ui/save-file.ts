/** Files: saving them under a name that is safe everywhere, and their sizes in words. */
import { countBytes } from "../../contract/limits.ts"
import { plural } from "../../contract/plural.ts"

const NAME_MAX_BYTES = 200
const EXTENSION_MAX_BYTES = 20

/** Characters that a reader cannot see, or that change the order of others. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** Characters that Windows, macOS or a shell does not allow in a name. */
const FORBIDDEN = /[<>:"/\\|?*]/g
/** Names of devices, which Windows does not allow for a file with any extension. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i

/**
 * A file name that is safe on every system, from the last part of the path of an Artifact. The name leads to no other folder, no device and no
 * dot file, has no invisible character and at most 200 bytes, and keeps its extension of up to 20 bytes. Returns `fallback` where no name is left.
 */
export function safeFileName(path: string, fallback = "artifact"): string {
  return safePart(path.split(/[/\\]/).at(-1) ?? "") ?? fallback
}

/** The path of an Artifact as a path within an archive. Every folder and the name are safe, and none leads out of the archive. */
export function safeArchivePath(path: string): string {
  const parts = path.split(/[/\\]/).flatMap((part) => safePart(part) ?? [])
  return parts.length === 0 ? "artifact" : parts.join("/")
}

/** The paths for an archive, one for each of `paths`. No two are the same on a system that ignores case. */
export function archivePaths(paths: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  /** For each safe path, the number to try next. Without it, each of many equal paths would try all numbers from 2 again. */
  const next = new Map<string, number>()
  return paths.map((path) => {
    const safe = safeArchivePath(path)
    const same = safe.toLowerCase()
    let count = next.get(same) ?? 2
    let unique = safe
    for (; taken.has(unique.toLowerCase()); count++) {
      unique = safe.replace(/(\.[^./]*)?$/, (extension) => ` (${count})${extension}`)
    }
    next.set(same, count)
    taken.add(unique.toLowerCase())
    return unique
  })
}

function safePart(part: string): string | undefined {
  const visible = part.toWellFormed().normalize("NFC").replace(HIDDEN, "").replace(FORBIDDEN, "_").replace(/\s+/g, " ")
  // Windows drops trailing dots and spaces, and `..` must leave nothing. A leading dot would hide the file.
  const trimmed = dropTrailing(visible).trimStart()
  if (trimmed === "") return undefined
  const undotted = trimmed.replace(/^\.+/, "_")
  return shorten(DEVICE.test(undotted) ? `_${undotted}` : undotted)
}

function shorten(name: string): string {
  if (countBytes(name) <= NAME_MAX_BYTES) return name
  const dot = name.lastIndexOf(".")
  const extension = dot > 0 && countBytes(name.slice(dot)) <= EXTENSION_MAX_BYTES ? name.slice(dot) : ""
  const stem = dot > 0 && extension !== "" ? name.slice(0, dot) : name
  let kept = ""
  let bytes = countBytes(extension)
  for (const character of stem) {
    bytes += countBytes(character)
    if (bytes > NAME_MAX_BYTES) break
    kept += character
  }
  return dropTrailing(kept) + extension
}

/** Without the dots and spaces at its end. A pattern would try each dot of a long run as the beginning of the end. */
function dropTrailing(name: string): string {
  let end = name.length
  while (end > 0 && (name[end - 1] === "." || name[end - 1] === " ")) end -= 1
  return name.slice(0, end)
}

/** How long the browser has to start reading a file before the address of the file is revoked. */
const KEPT_MS = 120_000

/** Saves `content` as a file called `name` (`safeFileName` makes a safe one). The content is never opened as a page. */
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

/** A size in bytes as a person reads it: "812 bytes", "48.2 kB", "1.5 MB" (powers of 1000). */
export function formatBytes(bytes: number | bigint): string {
  const count = Number(bytes)
  if (count < 1000) return formatExactBytes(bytes)
  const units = ["kB", "MB", "GB", "TB", "PB", "EB"]
  const power = Math.min(Math.floor(Math.log10(count) / 3), units.length)
  return `${(count / 1000 ** power).toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 })} ${units[power - 1] ?? ""}`
}

/** An exact count of bytes: "102,401 bytes". */
export function formatExactBytes(bytes: number | bigint): string {
  return plural(bytes, "byte")
}
