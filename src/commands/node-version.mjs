/**
 * The oldest Node that runs Workdesk, and the error for older ones. This file must run on Node 20, because an old Node loads it.
 * `node src/commands/node-version.mjs` checks the Node that runs it: the first step of docs/install.md.
 */
import { realpathSync } from "node:fs"
import { fileURLToPath } from "node:url"

export const OLDEST_NODE = 24

/**
 * Explains in one line that a Node is too old. Undefined if it is new enough.
 * @param {string} version such as 24.1.0
 * @returns {string | undefined}
 */
export function nodeFault(version) {
  const major = Number(version.split(".", 1)[0])
  if (major >= OLDEST_NODE) return undefined
  return `Node ${version} is too old: install Node ${OLDEST_NODE} or newer`
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const fault = nodeFault(process.versions.node)
  if (fault === undefined) console.log(`Node ${process.versions.node} can run Workdesk`)
  else {
    console.error(`workdesk: ${fault}`)
    process.exitCode = 1
  }
}
