/** The headers that every answer of a kind has. */
import type { HeaderFields } from "./refusals.ts"

export const everyAnswer: HeaderFields = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
  // For browsers without frame-ancestors: clickjacking could make a person approve.
  "X-Frame-Options": "DENY",
}

const INERT = "default-src 'none'; frame-ancestors 'none'"

/** For JSON, Problems and everything below `/desk`. */
export const apiAnswer: HeaderFields = {
  ...everyAnswer,
  "Content-Security-Policy": INERT,
  "Cache-Control": "no-store",
}

/** The sandbox takes origin, scripts and network from a file that is opened in a tab. */
export const downloadAnswer: HeaderFields = { ...apiAnswer, "Content-Security-Policy": `sandbox; ${INERT}` }

/** `no-transform` and X-Accel-Buffering keep intermediaries from compressing or buffering the stream. */
export const streamAnswer: HeaderFields = {
  ...apiAnswer,
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
}

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
  "trusted-types push-worker preview-worker",
].join("; ")

/** For the app's files. Images may be `blob:` for previews of Artifacts. The app sets no HTML from text: its two Trusted Types policies give the addresses of its workers. */
export const pageAnswer: HeaderFields = { ...everyAnswer, "Content-Security-Policy": PAGE_POLICY }
