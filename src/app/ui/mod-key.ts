/** The key that stands for `mod` on this machine. */
export const modKey = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "") ? "⌘" : "Ctrl"
