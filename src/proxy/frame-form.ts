/**
 * fetch-event-source 2.0.1, with which the app reads event streams, reads some frames unlike the standard (HTML, "Interpreting an event
 * stream"). Measured: it loses a field without a colon, accepts an `id` with a NUL, strips a byte order mark from every line, and cannot tell
 * empty data from no data. So the desk writes such a frame in a form that it reads correctly: `id`, `event`, `data`, each with a colon and a
 * space, and `event: message` where the upstream named no type. Every other frame passes as it was sent. The package still loses empty lines
 * before the first full line of `data`, and a byte order mark at the beginning of a line.
 */
const FIELD_WITHOUT_COLON = /(?:^|[\r\n])(?:data|event|id)[\r\n]/
const TYPE_OR_DATA = /(?:^|[\r\n])(?:data|event):/
const FULL_DATA = /(?:^|[\r\n])data: ?[^\r\n ]/
const NO_DATA = Buffer.from(":\n\n")
const BYTE_ORDER_MARK = Buffer.from("\uFEFF")

/** The first bytes of a stream without its byte order mark, which is no part of the first line. */
export function withoutMark(chunk: Buffer): Buffer {
  return chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? chunk.subarray(3) : chunk
}

/** The bytes of a whole frame as the app reads them correctly; the same object where they need no change. A frame without data is no event, and becomes a comment. */
export function toReadableForm(frame: Buffer): Buffer {
  // latin1 keeps every byte, and no byte of a longer character looks like a line end.
  const text = frame.toString("latin1")
  const isClear = FULL_DATA.test(text) || !TYPE_OR_DATA.test(text)
  if (isClear && !FIELD_WITHOUT_COLON.test(text) && !text.includes("\0") && !frame.includes(BYTE_ORDER_MARK))
    return frame
  let id = ""
  let type = "message"
  const data: string[] = []
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (name === "data") data.push(`data: ${value}\n`)
    else if (name === "event") type = value === "" ? "message" : value
    else if (name === "id" && !value.includes("\0")) id = `id: ${value}\n`
  }
  if (data.length === 0) return NO_DATA
  return Buffer.from(`${id}event: ${type}\n${data.join("")}\n`, "latin1")
}
