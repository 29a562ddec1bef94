import type { IconName } from "../ui/icon.tsx"

/** The pages that the menu and the palette lead to, by their addresses, in the order of the menu. */
export const places = {
  "/overview": { name: "Overview", icon: "overview" },
  "/work": { name: "Work", icon: "work" },
  "/needs-you": { name: "Needs You", icon: "needs-you" },
  "/approvals": { name: "Approvals", icon: "approvals" },
  "/work/new": { name: "New Work", icon: "new" },
  "/record": { name: "Record", icon: "record" },
} satisfies Readonly<Record<string, { readonly name: string; readonly icon: IconName }>>

export type Place = keyof typeof places
