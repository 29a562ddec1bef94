/** Names and values in turn: the form that `writeHead` takes without copying. */
export type FlatHeaders = readonly string[]

const flat = (headers: Readonly<Record<string, string>>): FlatHeaders => Object.entries(headers).flat()

/** These are on every answer. */
export const everyAnswer = flat({
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
  // For browsers that do not know frame-ancestors. A clickjacked approval is the worst that could happen here.
  "X-Frame-Options": "DENY",
})

const INERT = "default-src 'none'; frame-ancestors 'none'"

/** The API's answers, Problems and `/desk`. */
export const apiAnswer: FlatHeaders = [
  ...everyAnswer,
  ...flat({ "Content-Security-Policy": INERT, "Cache-Control": "no-store" }),
]

/** A download can be anything. Opened in a tab, it has no origin, no scripts and no network. */
export const downloadAnswer: FlatHeaders = [
  ...everyAnswer,
  ...flat({ "Content-Security-Policy": `sandbox; ${INERT}`, "Cache-Control": "no-store" }),
]

/** `no-transform` and X-Accel-Buffering keep intermediaries from compressing or buffering a stream. */
export const streamAnswer: FlatHeaders = [
  ...everyAnswer,
  ...flat({
    "Content-Security-Policy": INERT,
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
  }),
]

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ")

/** The app's files. Images may be `blob:` for previews of Artifacts. Previews are text and elements, so no Trusted Types policy is needed. */
export const pageAnswer: FlatHeaders = [...everyAnswer, ...flat({ "Content-Security-Policy": PAGE_POLICY })]
