/** The text of `npm start -- --help`. */
export const USAGE = `Workdesk: the desk where people look after Work delegated to automated colleagues.

  npm start                 serve the dashboard on http://127.0.0.1:4400
  node src/server.ts        the same, where it is installed and built

Options
  --dev                     serve the app's sources, with hot reload
  --version                 print the version
  --help                    print this text

Environment (docs/operating.md says more)
  HOST, PORT                where to listen: 127.0.0.1, 4400
  WORK_API_URL              the service's address; unset: the embedded service
  WORK_API_TOKEN(_FILE)     the credential for it
  DATA_DIR                  where data are kept: .data
  DESK_DATABASE_URL         a PostgreSQL for several desks; unset: SQLite in DATA_DIR
  OIDC_ISSUER               people sign in here; unset: one person, on this machine
  ALLOWED_HOSTS, COLLEAGUES, LOG_LEVEL, DRAIN_SECONDS, METRICS_PORT, METRICS_HOST,
  PERSON_REQUESTS_PER_MINUTE, UPSTREAM_STREAMS
`
