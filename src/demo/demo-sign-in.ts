/** Sign-in of the demonstration: its identity provider, its access file, and the variables that make a desk use them. */
import { existsSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { isLoopback } from "../platform/protected-url.ts"
import { listen } from "../platform/http/listen.ts"
import { startIdentityProvider } from "./identity-provider.ts"

/**
 * The access file: roles for the groups of the demonstration's people, the rule that nobody approves Work of their own, letters that need two
 * approvals or are to be decided within a time, a team, and an overseer, who is in no team.
 */
const ACCESS = {
  contact: "the demonstration's administrator",
  roles: {
    reader: ["group:staff", "group:audit"],
    answerer: ["group:ops", "group:finance"],
    delegator: ["group:ops"],
    approver: ["group:finance"],
  },
  rules: [
    { preventSelfApproval: true },
    { destination: "*museum.example*", approvalsNeeded: 2 },
    { destination: "reception@*", decideWithin: "24h", remindBefore: "2h" },
    { destination: "finance@*", decideWithin: "4h" },
  ],
  visibility: {
    teams: [{ name: "Operations", members: ["group:ops", "group:finance", "group:staff"], colleagues: ["*"] }],
    overseers: ["group:audit"],
  },
}

/** The variables that the demonstration replaces: of sign-in, of notices, and of a database that several desks share. */
export const SIGN_IN_VARIABLES = /^(?:OIDC_.*|SMTP_.*|NOTICE_.*|PUSH_HOSTS|PUBLIC_URL|ACCESS_FILE|DESK_DATABASE_URL)$/

/**
 * Starts the demonstration's identity provider and sets the variables of sign-in in `env`. The provider listens two ports above the desk.
 * The access file in `folder` is written once, so that a presenter can change it.
 *
 * @param onToken called with each token that the provider issues
 * @returns the provider, and the variables for another desk at the same address
 * @throws ConfigurationError when the provider's port is taken
 */
export async function startDemoSignIn(
  env: NodeJS.ProcessEnv,
  folder: string,
  onToken: (token: string) => void = () => {},
) {
  const deskPort = Number(env["PORT"] || "4400")
  const port = deskPort === 0 ? await freePort() : deskPort
  const host = env["HOST"] !== undefined && isLoopback(env["HOST"]) ? env["HOST"] : "127.0.0.1"
  const publicUrl = `http://${host.includes(":") ? `[${host}]` : host}:${port}`
  const provider = await startIdentityProvider({ publicUrl, port: deskPort === 0 ? 0 : deskPort + 2, onToken })
  const accessFile = join(folder, "access.json")
  if (!existsSync(accessFile)) writeFileSync(accessFile, `${JSON.stringify(ACCESS, undefined, 2)}\n`)
  const variables = {
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    ACCESS_FILE: accessFile,
  }
  Object.assign(env, variables)
  return { ...provider, variables: { ...variables, HOST: host } }
}

/** The desk's address must be known before the desk listens, because the provider redirects to this address. */
async function freePort(): Promise<number> {
  const probe = createServer()
  const port = await listen(probe, { host: "127.0.0.1", port: 0 })
  await new Promise((closed) => probe.close(closed))
  return port
}
