/** A size in bytes as a person reads it: "812 bytes", "48.2 kB", "1.5 MB" (powers of 1000). */
export function formatBytes(bytes: number | bigint): string {
  const count = Number(bytes)
  if (count < 1000) return `${bytes.toLocaleString("en")} ${count === 1 ? "byte" : "bytes"}`
  const units = ["kB", "MB", "GB", "TB", "PB", "EB"]
  const power = Math.min(Math.floor(Math.log10(count) / 3), units.length)
  return `${(count / 1000 ** power).toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 })} ${units[power - 1] ?? ""}`
}

/** An exact count of bytes: "102,401 bytes". */
export function formatExactBytes(bytes: number | bigint): string {
  return `${bytes.toLocaleString("en")} ${Number(bytes) === 1 ? "byte" : "bytes"}`
}
