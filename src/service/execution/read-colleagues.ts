/** Reads the colleagues of a registry. */
import type { Colleague } from "../colleagues/colleague.ts"

/** Imports the `colleagues` of a module, which each worker thread also imports. @throws TypeError if the module exports no list of colleagues */
export async function readRegistry(address: string): Promise<readonly Colleague[]> {
  const { colleagues }: { colleagues?: unknown } = await import(/* @vite-ignore */ address)
  if (Array.isArray(colleagues) && colleagues.every(isColleague)) return colleagues
  throw new TypeError(`${address} doesn't export a list of colleagues`)
}

/** The newest version of each colleague, in the order of the registry. */
export function newest(colleagues: readonly Colleague[]): readonly Colleague[] {
  return colleagues.filter(
    (colleague) => !colleagues.some(({ id, version }) => id === colleague.id && version > colleague.version),
  )
}

function isColleague(value: unknown): value is Colleague {
  return typeof value === "object" && value !== null && "id" in value && "version" in value && "run" in value
}
