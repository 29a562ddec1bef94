/** Reads CSV by RFC 4180, strictly: a record ends with CR LF, and a quoted field ends before a comma or the end of the record. */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const records: string[][] = []
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  let record: string[] = []
  while (field.lastIndex < text.length) {
    const at = field.lastIndex
    const [whole, quoted, bare = "", end] = field.exec(text) ?? []
    if (whole === undefined) throw new Error(`no field at ${at}: ${text.slice(at, at + 40)}`)
    record.push(quoted?.replaceAll('""', '"') ?? bare)
    if (end === ",") continue
    records.push(record)
    record = []
  }
  return records
}

/** The lines of a report, each as an object of its filled cells, and the title. */
export function readReport(text: string) {
  if (!text.startsWith("\u{FEFF}")) throw new Error("no byte order mark")
  const [[title = ""] = [], names = [], ...records] = parseCsv(text.slice(1))
  const lines = records.map((record) => {
    const cells = names.map((name, index) => [name, record[index] ?? ""] as const)
    return Object.fromEntries(cells.filter(([, cell]) => cell !== ""))
  })
  return { title, lines }
}
