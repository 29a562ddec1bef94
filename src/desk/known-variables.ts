/** Finds variables of the environment that look like variables of Workdesk, but are none: a typing error would otherwise have no effect. */
import { distance } from "fastest-levenshtein"

/** Every variable that the desk and the embedded service read. */
const WITHOUT_FILE =
  `HOST PORT WORK_API_URL DATA_DIR OIDC_ISSUER OIDC_CLIENT_ID OIDC_CLIENT_SECRET_IN OIDC_SCOPES OIDC_GROUPS_CLAIM PUBLIC_URL
  ACCESS_FILE SESSION_IDLE SESSION_MAX NOTICE_FROM NOTICE_BATCH NOTICE_WEBHOOK_URL NOTICE_CONTACT PUSH_HOSTS ALLOWED_HOSTS COLLEAGUES LOG_LEVEL
  DRAIN_SECONDS METRICS_PORT METRICS_HOST PERSON_REQUESTS_PER_MINUTE CLIENT_REQUESTS_PER_MINUTE UPSTREAM_STREAMS TRUSTED_PROXIES
  KNOWN_DESTINATIONS_DAYS SERVICE_CONFIG RETENTION_DAYS SERVICE_DATA SERVICE_HOST SERVICE_PORT SERVICE_PUBLIC`.split(
    /\s+/,
  )
const WITH_FILE =
  "WORK_API_TOKEN OIDC_CLIENT_SECRET DESK_DATABASE_URL SMTP_URL NOTICE_WEBHOOK_SECRET NOTICE_CHAT_URL".split(" ")

export const KNOWN_VARIABLES: ReadonlySet<string> = new Set([
  ...WITHOUT_FILE,
  ...WITH_FILE.flatMap((name) => [name, `${name}_FILE`]),
])

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
