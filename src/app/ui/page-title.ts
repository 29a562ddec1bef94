import { useEffect } from "react"

let page = ""
let prefix = ""

const write = () => {
  document.title = `${prefix}${page === "" ? "" : `${page} · `}Workdesk`
}

/** Sets the title of the tab: "Approvals · Workdesk". */
export function usePageTitle(title: string): void {
  useEffect(() => {
    page = title
    write()
  }, [title])
}

/** Puts the count of what waits before the title of every page: `(3)`, `(3+)`, or nothing. Only the shell calls this. */
export function setTitlePrefix(count: string): void {
  prefix = count === "" ? "" : `(${count}) `
  write()
}
