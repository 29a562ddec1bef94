import type { ReactNode, Ref } from "react"

type Props = { label: string; className: string | undefined; ref?: Ref<HTMLElement>; children: ReactNode }

/** A part that scrolls must be reachable by keyboard (WCAG 2.1.1), and not every browser does that by itself. */
const reachable = { tabIndex: 0 }

/** A named part of a preview that scrolls on its own. */
export function ScrollRegion({ label, className, ref, children }: Props) {
  return (
    <section ref={ref} aria-label={label} className={className} {...reachable}>
      {children}
    </section>
  )
}
