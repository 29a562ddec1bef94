/** The text of `npm start -- --help`. */
export const USAGE = `Workdesk: the desk where people look after Work delegated to automated colleagues.

  npm start                 serve the desk on http://127.0.0.1:4400
  node src/server.ts        the same, where it is installed and built

Options
  --dev                     serve the sources of the app, with hot reload
  --version                 print the version
  --help                    print this text

Environment (docs/operating.md says more)
  HOST, PORT                where to listen: 127.0.0.1, 4400
  WORK_API_URL              the address of the Work Delegation API; unset: the embedded service
  WORK_API_TOKEN(_FILE)     the bearer token for WORK_API_URL, or the file that holds it
  DATA_DIR                  the folder of the data: .data
  DESK_DATABASE_URL(_FILE)  a PostgreSQL database for several desks; unset: SQLite in DATA_DIR
  OIDC_ISSUER               the identity provider; unset: one person without sign-in, on this machine
  OIDC_CLIENT_ID, OIDC_CLIENT_SECRET(_FILE), OIDC_SCOPES, OIDC_GROUPS_CLAIM, PUBLIC_URL, ACCESS_FILE,
  SESSION_IDLE, SESSION_MAX sign-in with OIDC_ISSUER, and who may do what
  SMTP_URL(_FILE), NOTICE_FROM, NOTICE_BATCH
                            mail to people about what waits for them
  NOTICE_WEBHOOK_URL, NOTICE_WEBHOOK_SECRET(_FILE)
                            a signed webhook for the whole desk
  ALLOWED_HOSTS, COLLEAGUES, LOG_LEVEL, DRAIN_SECONDS, METRICS_PORT, METRICS_HOST,
  PERSON_REQUESTS_PER_MINUTE, CLIENT_REQUESTS_PER_MINUTE, UPSTREAM_STREAMS,
  TRUSTED_PROXIES, KNOWN_DESTINATIONS_DAYS, SERVICE_CONFIG, RETENTION_DAYS
`
