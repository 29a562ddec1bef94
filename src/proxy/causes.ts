/** Why the upstream gave no answer of the operation, for the log and the metrics. */
export type UpstreamCause = "refused" | "timeout" | "certificate" | "dns" | "cut" | "not_the_operation"

const CAUSES: readonly (readonly [codes: RegExp, cause: UpstreamCause])[] = [
  // The upstream sent bytes that are no HTTP.
  [/^HPE_|^UND_ERR_(?:HEADERS|RES)/, "not_the_operation"],
  [/^(?:ENOTFOUND|EAI_\w+)$/, "dns"],
  [/^(?:ETIMEDOUT|UND_ERR_\w*TIMEOUT)$/, "timeout"],
  [/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/, "refused"],
  // Node names a certificate's fault by OpenSSL's words, without a common prefix.
  [/CERT|^ERR_TLS_|^ERR_SSL_|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(?:CA|PURPOSE)$|^EPROTO$/, "certificate"],
]

/** The cause of a connection's error. Everything unknown was cut, because a connection that was open is not any more. */
export function causeOf(error: Error): UpstreamCause {
  // undici's parser leaves out the code where not even the first line is HTTP.
  if (error.name === "HTTPParserError") return "not_the_operation"
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  return CAUSES.find(([codes]) => codes.test(code))?.[1] ?? "cut"
}
