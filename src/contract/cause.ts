/** Why the service, the identity provider or PostgreSQL gave no valid answer (`docs/operating.md`, "Logs"). */
export type Cause = "refused" | "timeout" | "certificate" | "dns" | "cut" | "not_the_operation"

const CAUSES: readonly (readonly [codes: RegExp, cause: Cause])[] = [
  // The peer sent bytes that are no HTTP.
  [/^HPE_|^UND_ERR_(?:HEADERS|RES)/, "not_the_operation"],
  [/^(?:ENOTFOUND|EAI_\w+)$/, "dns"],
  [/^(?:ETIMEDOUT|UND_ERR_\w*TIMEOUT)$/, "timeout"],
  [/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/, "refused"],
  // Node names a certificate's fault by OpenSSL's words, without a common prefix.
  [/CERT|^ERR_TLS_|^ERR_SSL_|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(?:CA|PURPOSE)$|^EPROTO$/, "certificate"],
]

/**
 * The cause of a connection's error, by the codes in its chain of causes: fetch and libraries wrap the system's error. Everything unknown
 * was cut, because a connection that was open is not any more.
 */
export function causeOf(error: unknown): Cause {
  for (let link = error; link instanceof Error; link = link.cause) {
    // undici's parser leaves out the code where not even the first line is HTTP.
    if (link.name === "HTTPParserError") return "not_the_operation"
    // AbortSignal.timeout
    if (link.name === "TimeoutError") return "timeout"
    const code = "code" in link && typeof link.code === "string" ? link.code : ""
    const found = CAUSES.find(([codes]) => codes.test(code))
    if (found !== undefined) return found[1]
  }
  return "cut"
}
