import type { Colleague } from "../../colleagues/colleague.ts"

/**
 * Imports the colleagues that a module exports as `colleagues`. The service knows the URL of the module, because each worker thread has to
 * import the colleagues itself: functions cannot be sent to a thread.
 * @throws TypeError when the module exports no list of colleagues
 */
export async function readRegistry(address: string): Promise<readonly Colleague[]> {
  const module: unknown = await import(/* @vite-ignore */ address)
  const exported: unknown =
    typeof module === "object" && module !== null ? Reflect.get(module, "colleagues") : undefined
  if (!Array.isArray(exported) || !exported.every(isColleague))
    throw new TypeError(`${address} exports no list of colleagues`)
  return exported
}

/** The newest version of each colleague, in the order of the registry. */
export function newest(colleagues: readonly Colleague[]): readonly Colleague[] {
  return colleagues.filter(
    (colleague) => !colleagues.some(({ id, version }) => id === colleague.id && version > colleague.version),
  )
}

function isColleague(value: unknown): value is Colleague {
  if (typeof value !== "object" || value === null) return false
  const member = (name: string): unknown => Reflect.get(value, name)
  return (
    typeof member("id") === "string" &&
    typeof member("label") === "string" &&
    Number.isInteger(member("version")) &&
    typeof member("run") === "function"
  )
}
