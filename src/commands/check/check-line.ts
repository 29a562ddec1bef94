/** A line of `--check`: what was checked, the result, and what to change. */
import { type Cause, causeOf } from "../../platform/cause.ts"

export type CheckLine = {
  /** The subject, in one to three words. */
  readonly check: string
  readonly good: boolean
  /** The result. It contains no secret, no path, and no value of a variable except host names. */
  readonly found: string
  /** What to change, and where. Set only if the line isn't good. */
  readonly change?: string
}

/** Checks one thing. A fault in what it checks is a line, not an exception. */
export type Probe = () => readonly CheckLine[] | Promise<readonly CheckLine[]>

/** How long a check waits for one answer. */
export const ANSWER_MS = 8_000

/** How far the clocks of the service and of PostgreSQL may differ from this machine's. */
export const CLOCK_SECONDS = 60

export const good = (check: string, found: string): CheckLine => ({ check, good: true, found })

export const bad = (check: string, found: string, change: string): CheckLine => ({ check, good: false, found, change })

const CAUSE_WORDS: Readonly<Record<Cause, string>> = {
  refused: "the connection is refused: nothing listens there, or a firewall refuses it",
  timeout: `no response within ${ANSWER_MS / 1_000} s`,
  certificate: "its TLS certificate isn't accepted",
  dns: "its host name has no address",
  cut: "the connection was lost",
  not_the_operation: "the response isn't valid HTTP",
}

/** Faults of certificates by Node's error code, with what to change. */
const CERTIFICATE_FAULTS: readonly (readonly [codes: RegExp, found: string, change: string])[] = [
  [/ALTNAME_INVALID|HOSTNAME_MISMATCH/, "its TLS certificate is for another name", "use a name from the certificate"],
  [
    /EXPIRED|NOT_YET_VALID/,
    "its TLS certificate isn't valid today",
    "renew the certificate, or set this machine's clock",
  ],
  [
    /SELF_SIGNED|UNABLE_TO_|CA\b|UNTRUSTED/,
    "its TLS certificate comes from an unknown authority",
    "name the authority's certificate in NODE_EXTRA_CA_CERTS",
  ],
  [/EPROTO|SSL/, "it doesn't speak TLS", "use the TLS port, or a host that offers TLS"],
]

/** Why a connection failed, in words. A fault of the certificate adds its own remedy to `change`. */
export function describeFailure(error: unknown, change: string): { readonly found: string; readonly change: string } {
  const cause = causeOf(error)
  if (cause !== "certificate") return { found: CAUSE_WORDS[cause], change }
  const codes = codesOf(error).join(" ")
  const [, found = CAUSE_WORDS.certificate, more] = CERTIFICATE_FAULTS.find(([known]) => known.test(codes)) ?? []
  return { found, change: more === undefined ? change : `${change}; ${more}` }
}

function codesOf(error: unknown): readonly string[] {
  const codes: string[] = []
  for (let link = error; link instanceof Error; link = link.cause) {
    if ("code" in link && typeof link.code === "string") codes.push(link.code)
  }
  return codes
}

/** The `Date` of an answer has whole seconds. */
const DATE_STEP_SECONDS = 1

/** Compares two clocks. `middle` is when the answer was made, by this machine's clock. No line if the peer sent no time. */
export function clockLine(
  check: string,
  { whose, theirs, middle, allowedSeconds }: ClockReading,
): readonly CheckLine[] {
  const seconds = Math.round((theirs - middle) / 1_000)
  if (Number.isNaN(seconds)) return []
  const isGood = Math.abs(seconds) <= allowedSeconds + DATE_STEP_SECONDS
  const difference = `${Math.abs(seconds)} s ${seconds < 0 ? "behind" : "ahead of"} this machine's`
  if (isGood) return [good(check, `${whose} clock is within ${allowedSeconds} s of this machine's`)]
  return [bad(check, `${whose} clock is ${difference}`, "synchronize the clocks of both machines (NTP)")]
}

export type ClockReading = {
  readonly whose: string
  readonly theirs: number
  readonly middle: number
  readonly allowedSeconds: number
}
