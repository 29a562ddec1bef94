import type { ReactNode, Ref } from "react"

type Props = { label: string; className: string | undefined; ref?: Ref<HTMLElement>; children: ReactNode }

/** The keyboard must reach a region that scrolls (WCAG 2.1.1). Not every browser gives the region a place in the tab order. */
const reachable = { tabIndex: 0 }

/** A named part of a preview that scrolls on its own. */
export function ScrollRegion({ label, className, ref, children }: Props) {
  return (
    <section ref={ref} aria-label={label} className={className} {...reachable}>
      {children}
    </section>
  )
}
