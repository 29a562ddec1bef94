/** Every variable of the environment, for docs/reference.md and `--help`, and a search for misspelt ones, which would have no effect. */
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
      meaning: "the host names that the desk serves, comma-separated. Any other name gets 421",
    },
    {
      name: "TRUSTED_PROXIES",
      preset: "none",
      meaning: "addresses and networks of trusted proxies, comma-separated. Only their `X-Forwarded-For` counts",
    },
    {
      name: "DATA_DIR",
      preset: "`.data`",
      meaning: "the folder for the embedded service's data and the desk's own store",
    },
    {
      name: "DESK_DATABASE_URL",
      hasFile: true,
      preset: "SQLite in `DATA_DIR`",
      meaning: "a `postgres://` address, for several desks. If the file changes, new connections use its new content",
    },
    {
      name: "RECORD_KEY_FILE",
      preset: "`record.key` in `DATA_DIR`; with `DESK_DATABASE_URL` the database",
      meaning: 'the key that signs heads of the record: see operating.md, "Signed heads". The first start makes it',
    },
    {
      name: "RECORD_HEADS_URL",
      preset: "heads are posted nowhere",
      meaning: "where signed heads of the record are posted: an https address, or http to loopback",
    },
    {
      name: "RECORD_HEADS_SECRET",
      hasFile: true,
      preset: "required with `RECORD_HEADS_URL`",
      meaning: "signs these posts, as `NOTICE_WEBHOOK_SECRET` signs events",
    },
    {
      name: "DRAIN_SECONDS",
      preset: "`0`",
      meaning: "0 to 3600: how long the desk still serves requests after SIGTERM, while `/desk/ready` answers 503",
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
        "how many event streams all desks of a store together may open at the service. A person may use a third of a desk's share",
    },
    {
      name: "KNOWN_DESTINATIONS_DAYS",
      preset: "forever",
      meaning: "1 to 36500: a destination is forgotten this many days after its last approval, unless one is pending",
    },
  ],
  "Sign-in": [
    {
      name: "OIDC_ISSUER",
      preset: "none: one person, `local`, without sign-in",
      meaning: "the provider's issuer URL. After a change everybody has to sign in again",
    },
    { name: "OIDC_CLIENT_ID", preset: "required", meaning: "the desk's client id at the provider" },
    {
      name: "OIDC_CLIENT_SECRET",
      hasFile: true,
      preset: "none: a public client",
      meaning: "the desk's client secret at the provider",
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
      meaning: "the claim that lists a person's groups. It is read from the ID token, or else from the userinfo answer",
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
      preset: "a quarter of the reads that the service allows; 600 until that is known",
      meaning: "how many reads of the service one person may cause. The limit for mutations is a fifth of it",
    },
    {
      name: "CLIENT_REQUESTS_PER_MINUTE",
      preset: "`300`",
      meaning: "how many requests to `/desk` and `/api` one address may send without a session",
    },
  ],
  Notices: [
    {
      name: "SMTP_URL",
      hasFile: true,
      preset: "no mail",
      meaning:
        "`smtps://user:password@host:465` or `smtp://host:587`, user and password percent-encoded. `smtp:` requires STARTTLS, except to loopback. Needs sign-in",
    },
    {
      name: "NOTICE_FROM",
      preset: "required with `SMTP_URL`",
      meaning: "the sender: `desk@example.com` or `Workdesk <desk@example.com>`",
    },
    {
      name: "NOTICE_BATCH",
      preset: "`2m`",
      meaning: '`0s` to `15m`: how long the desk collects items for an "At once" mail or a chat message',
    },
    {
      name: "NOTICE_WEBHOOK_URL",
      preset: "no webhook",
      meaning: "where events are posted: an https address, or http to loopback",
    },
    {
      name: "NOTICE_WEBHOOK_SECRET",
      hasFile: true,
      preset: "required with `NOTICE_WEBHOOK_URL`",
      meaning: "`whsec_` and base64 of 24 to 64 bytes. During a rotation: both secrets, separated by a space",
    },
    {
      name: "NOTICE_CHAT_URL",
      hasFile: true,
      preset: "no chat",
      meaning: "addresses of chats, separated by spaces: https, or http to loopback",
    },
    {
      name: "NOTICE_CONTACT",
      preset: "no push",
      meaning:
        "`mailto:desk@example.com` or an https address: how a push service reaches you. Turns push on. Needs sign-in",
    },
    {
      name: "PUSH_HOSTS",
      preset: "the hosts for Chrome, Firefox, Safari and Edge",
      meaning: "the hosts of push services, comma-separated. `*.` before a name means all its subdomains",
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
      preset: "forever",
      meaning: "1 to 36500: days after which the embedded service deletes finished Work",
    },
    { name: "SERVICE_DATA", preset: "`.data/service`", meaning: "only for `npm run service`: the data folder" },
    { name: "SERVICE_HOST", preset: "`127.0.0.1`", meaning: "only for `npm run service`: where to listen" },
    { name: "SERVICE_PORT", preset: "`4401`", meaning: "only for `npm run service`: where to listen" },
    {
      name: "SERVICE_PUBLIC",
      preset: "`0`",
      meaning: "only for `npm run service`: `1` if a proxy with TLS is in front",
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
    if (near !== undefined) return [`${name} is unknown to Workdesk and has no effect: did you mean ${near}?`]
    return OUR_PREFIX.test(name) ? [`${name} is unknown to Workdesk and has no effect`] : []
  })
}

const isNear = (name: string, known: string) =>
  known.length >= NEAR_MIN_CHARACTERS && distance(name, known) <= EDITS_MAX
