/**
 * The oldest Node that runs Workdesk, and what a program says on an older one. It uses only what Node 20 has, because an old Node has to run it.
 */
export const OLDEST_NODE = 24

/**
 * Why a Node is too old, in one line. Undefined when it is new enough.
 * @param {string} version such as 24.1.0
 * @returns {string | undefined}
 */
export function nodeFault(version) {
  const major = Number(version.split(".", 1)[0])
  if (major >= OLDEST_NODE) return undefined
  return `Node ${version} is too old: install Node ${OLDEST_NODE} or newer`
}
