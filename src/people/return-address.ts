const LONGEST = 4_096
// Only to parse with: nothing is sent there.
const BASE = "http://desk.invalid"

/**
 * The address that a sign-in leads back to: a path of the app with its query and fragment. What a browser could take for another host,
 * and the desk's own addresses below `/api` and `/desk`, become `/`.
 */
export function returnAddress(asked: string | undefined): string {
  if (asked === undefined || asked.length > LONGEST || !/^\/(?!\/)[^\\\p{Cc}]*$/u.test(asked)) return "/"
  const { origin, pathname, search, hash } = new URL(asked, BASE)
  const isApp = origin === BASE && !pathname.startsWith("//") && !/^\/(?:api|desk)(?:\/|$)/.test(pathname)
  return isApp ? pathname + search + hash : "/"
}
