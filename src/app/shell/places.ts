import type { IconName } from "../ui/icon.tsx"

/** The pages that the menu and the palette lead to, by their addresses, in the order of the menu. */
export const places = {
  "/overview": { name: "Overview", icon: "overview" },
  "/work": { name: "Work", icon: "work" },
  "/needs-you": { name: "Needs You", icon: "needs-you" },
  "/approvals": { name: "Approvals", icon: "approvals" },
  "/work/new": { name: "New Work", icon: "new" },
  "/record": { name: "Record", icon: "record" },
  "/notices": { name: "Notices", icon: "bell", menu: "person" },
} satisfies Readonly<Record<string, PlaceLook>>

export type Place = keyof typeof places

type PlaceLook = {
  readonly name: string
  readonly icon: IconName
  /** Set where the link is in the person's menu, or in local mode below the menu. */
  readonly menu?: "person"
}

/** The places whose links stand in the menu. */
export const menuPlaces: readonly Place[] = Object.entries<PlaceLook>(places).flatMap(([to, { menu }]) =>
  isPlace(to) && menu === undefined ? [to] : [],
)

function isPlace(path: string): path is Place {
  return Object.hasOwn(places, path)
}
