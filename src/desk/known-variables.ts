/**
 * Every variable of the environment, for docs/reference.md and `--help`. Finds variables that look like misspelt ones of Workdesk, which would
 * otherwise have no effect.
 */
import { distance } from "fastest-levenshtein"

export type Variable = {
  readonly name: string
  /** Whether `NAME_FILE` may name a file that holds the value. */
  readonly hasFile?: true
  /** The default. */
  readonly preset: string
  readonly meaning: string
}

/** The variables by subject, in the order of the document. */
export const VARIABLES: Readonly<Record<string, readonly Variable[]>> = {
  "The desk and its data": [
    { name: "HOST", preset: "`127.0.0.1`", meaning: "where to listen. A host that is not loopback needs sign-in" },
    { name: "PORT", preset: "`4400`", meaning: "where to listen" },
    {
      name: "ALLOWED_HOSTS",
      preset: "loopback names and `HOST`; with sign-in the host of `PUBLIC_URL`",
      meaning: "the `Host` names that are served, comma-separated. Every other name gets 421",
    },
    {
      name: "TRUSTED_PROXIES",
      preset: "none",
      meaning: "addresses and networks of trusted balancers, comma-separated: their `X-Forwarded-For` is used",
    },
    { name: "DATA_DIR", preset: "`.data`", meaning: "the embedded service's data, and the desk's own store" },
    {
      name: "DESK_DATABASE_URL",
      hasFile: true,
      preset: "SQLite in `DATA_DIR`",
      meaning: "a `postgres://` address, for several desks. If the file changes, new connections use the new content",
    },
    {
      name: "DRAIN_SECONDS",
      preset: "`0`",
      meaning: "0 to 3600: how long requests are served after SIGTERM, while `/desk/ready` is 503",
    },
    { name: "LOG_LEVEL", preset: "`info`", meaning: "`debug`, `info`, `warn` or `error`" },
    { name: "METRICS_PORT", preset: "no metrics", meaning: "where `GET /metrics` is served" },
    { name: "METRICS_HOST", preset: "`127.0.0.1`", meaning: "where `GET /metrics` is served" },
  ],
  "The service": [
    {
      name: "WORK_API_URL",
      preset: "the embedded service",
      meaning: "the base address of the Work Delegation API; it may have a path. Plain http for loopback only",
    },
    {
      name: "WORK_API_TOKEN",
      hasFile: true,
      preset: "required with `WORK_API_URL`",
      meaning: "the bearer credential. While the file is empty or missing, the last token stays in use",
    },
    {
      name: "COLLEAGUES",
      preset: "the embedded ones; none with `WORK_API_URL`",
      meaning:
        "what New Work offers: `id=Label|what it does,…`. The text after the bar is optional. A backslash escapes a comma or bar",
    },
    {
      name: "UPSTREAM_STREAMS",
      preset: "`12`",
      meaning:
        "how many event streams all desks of one store together may open at the service. One person may use a third of a desk's share",
    },
    {
      name: "KNOWN_DESTINATIONS_DAYS",
      preset: "for ever",
      meaning: "1 to 36500: a destination is forgotten when its newest approval is older and none is pending",
    },
  ],
  "Sign-in": [
    {
      name: "OIDC_ISSUER",
      preset: "none: one person, `local`, without sign-in",
      meaning: "the provider's issuer URL. After a change everybody has to sign in again",
    },
    { name: "OIDC_CLIENT_ID", preset: "required", meaning: "the desk's name at the provider" },
    {
      name: "OIDC_CLIENT_SECRET",
      hasFile: true,
      preset: "a public client",
      meaning: "the desk's secret at the provider",
    },
    {
      name: "OIDC_CLIENT_SECRET_IN",
      preset: "as in the provider's metadata",
      meaning: "`header` or `body`: where the desk sends the secret",
    },
    { name: "OIDC_SCOPES", preset: "`openid profile email`", meaning: "the scopes that the desk requests" },
    {
      name: "OIDC_GROUPS_CLAIM",
      preset: "`groups`",
      meaning: "the claim that lists a person's groups, in the ID token or, if missing there, in the userinfo answer",
    },
    {
      name: "PUBLIC_URL",
      preset: "required",
      meaning: "the address that browsers use, without a path. The only source of redirect addresses",
    },
    { name: "ACCESS_FILE", preset: "required", meaning: 'who has which role: see operating.md, "Roles and rules"' },
    {
      name: "SESSION_IDLE",
      preset: "`2h`",
      meaning: "a session ends after this time without keyboard or pointer input: a whole number with `s`, `m` or `h`",
    },
    { name: "SESSION_MAX", preset: "`12h`", meaning: "a session ends this long after the sign-in" },
    {
      name: "PERSON_REQUESTS_PER_MINUTE",
      preset: "a quarter of the reads that the service allows; 600 until they are known",
      meaning: "reads of the service that one person's requests may cause; a fifth as many mutations",
    },
    {
      name: "CLIENT_REQUESTS_PER_MINUTE",
      preset: "`300`",
      meaning: "requests below `/desk` and `/api` of one client address without a session",
    },
  ],
  Notices: [
    {
      name: "SMTP_URL",
      hasFile: true,
      preset: "no mail",
      meaning:
        "`smtps://user:password@host:465` or `smtp://host:587`, user and password percent-encoded. With `smtp:` STARTTLS is demanded, except to loopback. Needs sign-in",
    },
    {
      name: "NOTICE_FROM",
      preset: "required with `SMTP_URL`",
      meaning: "the sender: `desk@example.com` or `Workdesk <desk@example.com>`",
    },
    {
      name: "NOTICE_BATCH",
      preset: "`2m`",
      meaning: '`0s` to `15m`: how long the desk collects items before it sends a mail "at once" or a chat message',
    },
    { name: "NOTICE_WEBHOOK_URL", preset: "no webhook", meaning: "an https address, or http to loopback" },
    {
      name: "NOTICE_WEBHOOK_SECRET",
      hasFile: true,
      preset: "required with `NOTICE_WEBHOOK_URL`",
      meaning: "`whsec_` and base64 of 24 to 64 bytes. While you rotate the secret: both, separated by a space",
    },
    {
      name: "NOTICE_CHAT_URL",
      hasFile: true,
      preset: "no chat",
      meaning: "addresses of chats, separated by spaces. https, or http to loopback",
    },
    {
      name: "NOTICE_CONTACT",
      preset: "no push",
      meaning:
        "`mailto:desk@example.com` or an https address: how a push service reaches you. Turns push on. Needs sign-in",
    },
    {
      name: "PUSH_HOSTS",
      preset: "those of Chrome, Firefox, Safari and Edge",
      meaning: "the hosts of push services, comma-separated. `*.` before a name stands for all its subdomains",
    },
  ],
  "The embedded service": [
    {
      name: "SERVICE_CONFIG",
      preset: "none",
      meaning: "a JSON file: see embedded-service.md. Changes apply within a second",
    },
    {
      name: "RETENTION_DAYS",
      preset: "for ever",
      meaning: "1 to 36500: days after which the embedded service deletes finished Work",
    },
    { name: "SERVICE_DATA", preset: "`.data/service`", meaning: "`npm run service` alone: its folder" },
    { name: "SERVICE_HOST", preset: "`127.0.0.1`", meaning: "`npm run service` alone: where to listen" },
    { name: "SERVICE_PORT", preset: "`4401`", meaning: "`npm run service` alone: where to listen" },
    {
      name: "SERVICE_PUBLIC",
      preset: "`0`",
      meaning: "`npm run service` alone: `1` if a proxy with TLS is in front",
    },
  ],
}

export const KNOWN_VARIABLES: ReadonlySet<string> = new Set(
  Object.values(VARIABLES)
    .flat()
    .flatMap(({ name, hasFile }) => (hasFile === true ? [name, `${name}_FILE`] : [name])),
)

/** Other programs have no variables that begin so. */
const OUR_PREFIX = /^(?:OIDC|WORK_API|DESK|NOTICE|SMTP)_/
/** Shorter names are near to too many others. */
const NEAR_MIN_CHARACTERS = 8
const EDITS_MAX = 2

/** A sentence for each unknown variable that looks like one of ours. No sentence has a value. */
export function unknownVariables(environment: NodeJS.ProcessEnv): readonly string[] {
  return Object.keys(environment).flatMap((name) => {
    if (KNOWN_VARIABLES.has(name)) return []
    const near = [...KNOWN_VARIABLES].find((known) => isNear(name, known))
    if (near !== undefined) return [`${name} is not a variable of Workdesk and has no effect: did you mean ${near}?`]
    return OUR_PREFIX.test(name) ? [`${name} is not a variable of Workdesk and has no effect`] : []
  })
}

const isNear = (name: string, known: string) =>
  known.length >= NEAR_MIN_CHARACTERS && distance(name, known) <= EDITS_MAX
