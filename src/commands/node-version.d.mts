export const OLDEST_NODE: number
export function nodeFault(version: string): string | undefined
