/** The lines above every page: what is frozen, whether the person is away, whether the page is out of date. */
import { type ReactNode, useCallback, useId, useState } from "react"
import styles from "./banner.module.css"
import { Button } from "./button.tsx"
import { classes } from "./classes.ts"
import { Icon, type IconName } from "./icon.tsx"
import { useIsCut } from "./use-is-cut.ts"

export type BannerProps = {
  icon: IconName
  announce: "alert" | "status"
  tone?: "bad" | "warn"
  /** The first words of the line. A phone shows `short` in their place until the person asks for the whole. */
  first?: ReactNode
  short?: string
  /** Shown beside the words. */
  action?: ReactNode
  /** Shown below the words, once the person asks for it. */
  more?: ReactNode
  /** Always shown below the line: why the action failed. */
  below?: ReactNode
  children: ReactNode
}

/** One line above the page. What doesn't fit, and `more`, are behind a button. */
export function Banner({ icon, announce, tone, first, short, action, more, below, children }: BannerProps) {
  const [isWhole, setIsWhole] = useState(false)
  const [isCut, frame] = useIsCut("[data-words]")
  const wordsId = useId()
  return (
    <div role={announce} data-banner="" className={classes(styles["banner"], tone && styles[tone])}>
      <div ref={frame} className={styles["line"]}>
        <Icon name={icon} />
        <div id={wordsId} data-words="" className={classes(styles["words"], !isWhole && "ellipsis")}>
          {first !== undefined && <strong className={styles["first"]}>{first} </strong>}
          {short !== undefined && <strong className={styles["short"]}>{short} </strong>}
          {children}
          {isWhole && more !== undefined && <div className="small">{more}</div>}
        </div>
        {(isCut || isWhole || more !== undefined) && (
          <Button
            kind="plain"
            size="small"
            className={styles["more"]}
            aria-expanded={isWhole}
            aria-controls={wordsId}
            onClick={() => setIsWhole(!isWhole)}
          >
            {isWhole ? "Less" : "More"}
          </Button>
        )}
        {action}
      </div>
      {below}
    </div>
  )
}

/** For this long after a page load begins, the page may still move, because nobody has read it yet. */
const LOADED_MS = 5_000

/** Keeps a letter where it is read: the page is scrolled by as much as the banners above it grow. */
function keepLetter(banners: HTMLElement | null): (() => void) | undefined {
  if (banners === null) return undefined
  let height = 0
  const observer = new ResizeObserver(() => {
    const grown = banners.offsetHeight - height
    height += grown
    const isReading = performance.now() > LOADED_MS && document.querySelector("[data-letter]") !== null
    // Most browsers do the same, but not for a page that stands at its top. In a low window the banners scroll away with the page.
    const isKept = scrollY > 0 && CSS.supports("overflow-anchor", "auto")
    const isSticky = getComputedStyle(banners).position === "sticky"
    if (isReading && !isKept && isSticky) scrollBy({ top: grown, behavior: "instant" })
  })
  observer.observe(banners)
  return () => observer.disconnect()
}

/** The place of the banners, at the top of the window. If there are several, only the first is shown, with a button for the others. */
export function Banners({ children }: { children: ReactNode }) {
  const [count, setCount] = useState(0)
  const [isOpen, setIsOpen] = useState(false)
  const placeId = useId()
  const follow = useCallback(
    (place: HTMLElement | null) => {
      if (place === null) return undefined
      const fold = () => {
        const banners = [...place.querySelectorAll("[data-banner]")]
        for (const [at, banner] of banners.entries()) banner.toggleAttribute("data-folded", at > 0 && !isOpen)
        setCount(banners.length)
      }
      fold()
      const changed = new MutationObserver(fold)
      changed.observe(place, { childList: true, subtree: true })
      return () => changed.disconnect()
    },
    [isOpen],
  )
  return (
    <div ref={keepLetter} className={styles["banners"]}>
      <div id={placeId} ref={follow}>
        {children}
      </div>
      {/* A folded banner is not announced. Its number is. */}
      <output>
        {count > 1 && (
          <Button
            kind="plain"
            size="small"
            aria-expanded={isOpen}
            aria-controls={placeId}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? "Show less" : `and ${String(count - 1)} more`}
          </Button>
        )}
      </output>
    </div>
  )
}
