/**
 * The id that the address of a Work's page names, from the location's path as the browser has it. React Router's own parameter
 * would read a `%2F` that is part of an id as a slash (react-router 8, `matchPath`).
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
