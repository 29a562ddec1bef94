/**
 * The id of the Work of a page, from the raw path of the address. React Router's own parameter reads a `%2F` within an id as a slash
 * (react-router 8, `matchPath`).
 */
export function workIdOf(pathname: string): string {
  const segment = pathname.split("/")[2] ?? ""
  try {
    return decodeURIComponent(segment)
  } catch {
    // A lone % that somebody typed.
    return segment
  }
}
