/** Why the service, the identity provider or PostgreSQL gave no valid answer (`docs/operating.md`, "Health, metrics and logs"). */
export type Cause = (typeof CAUSES)[number]

export const CAUSES = ["refused", "timeout", "certificate", "dns", "cut", "not_the_operation"] as const

// The first row that matches an error's code gives the cause.
const CAUSE_OF_CODES: readonly (readonly [codes: RegExp, cause: Cause])[] = [
  [/^(?:ETIMEDOUT|UND_ERR_\w*TIMEOUT)$/, "timeout"],
  // What the peer sent is not HTTP, or breaks HTTP's rules or limits.
  [/^HPE_|^UND_ERR_(?:HEADERS|RES)/, "not_the_operation"],
  [/^(?:ENOTFOUND|EAI_\w+)$/, "dns"],
  [/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/, "refused"],
  // Node names a certificate error as OpenSSL does. The names have no common prefix.
  [/CERT|^ERR_TLS_|^ERR_SSL_|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(?:CA|PURPOSE)$|^EPROTO$/, "certificate"],
]

const NOT_CONNECTED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+)$/

/** Whether an error proves that no connection was made, so that nothing of a request has left the desk. */
export function isNotConnected(error: unknown): boolean {
  for (let link = error; link instanceof Error; link = link.cause) {
    if ("code" in link && typeof link.code === "string" && NOT_CONNECTED.test(link.code)) return true
  }
  return false
}

/** Finds the cause of a connection error in its chain of causes. An unknown code is `cut`: the connection was open and broke off. */
export function causeOf(error: unknown): Cause {
  for (let link = error; link instanceof Error; link = link.cause) {
    // undici's parser sets no code when the first line is not HTTP.
    if (link.name === "HTTPParserError") return "not_the_operation"
    // Thrown by AbortSignal.timeout.
    if (link.name === "TimeoutError") return "timeout"
    const code = "code" in link && typeof link.code === "string" ? link.code : ""
    const found = CAUSE_OF_CODES.find(([codes]) => codes.test(code))
    if (found !== undefined) return found[1]
  }
  return "cut"
}
