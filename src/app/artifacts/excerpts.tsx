/** The beginnings of the first results, on the page of their Work. Each is loaded when it is scrolled into view, one after the other. */
import { useQueries } from "@tanstack/react-query"
import { useCallback, useState } from "react"
import type { Artifact } from "../../contract/resources.ts"
import { Button } from "../ui/button.tsx"
import { writeHidden } from "../ui/hidden-characters.ts"
import { HiddenName, OutsideParts } from "../ui/outside-text.tsx"
import { plural } from "../../contract/plural.ts"
import { CsvExcerpt } from "./preview-csv.tsx"
import { ResultImage } from "./preview-image.tsx"
import { MarkdownText } from "./preview-markdown.tsx"
import styles from "./preview.module.css"
import { KEPT_MAX_BYTES, previewKind, previewOptions, type PreviewSource } from "./preview-source.ts"
import { ScrollRegion } from "./preview-text.tsx"
import { isAvailable } from "./read-artifact.ts"
import type { Drawing, Excerpt as ExcerptContent } from "./read-preview.ts"

const EXCERPTS_MAX = 3

type Excerpts = {
  /** By the path of the result. Undefined until it is loaded. */
  readonly sources: ReadonlyMap<string, PreviewSource | undefined>
  readonly onInView: (path: string) => void
}

/** The excerpts of the first results that are available and small. */
export function useExcerpts(artifacts: readonly Artifact[]): Excerpts {
  const [inView, setInView] = useState<readonly string[]>([])
  const onInView = useCallback(
    (path: string) => setInView((known) => (known.includes(path) ? known : [...known, path])),
    [],
  )
  const chosen = artifacts
    .flatMap((artifact) => {
      const kind = isAvailable(artifact) && artifact.size <= KEPT_MAX_BYTES ? previewKind(artifact) : undefined
      return kind === undefined ? [] : [{ path: artifact.path, options: previewOptions(artifact, kind) }]
    })
    .slice(0, EXCERPTS_MAX)
  const states = useQueries({ queries: chosen.map(({ options }) => ({ ...options, enabled: false })) })
  // Only the first of these is loaded, so that no two are loaded at the same time.
  const awaited = chosen.filter(({ path }, index) => states[index]?.isPending === true && inView.includes(path))
  useQueries({ queries: awaited.slice(0, 1).map(({ options }) => ({ ...options, refetchInterval: false })) })
  return { sources: new Map(chosen.map(({ path }, index) => [path, states[index]?.data])), onInView }
}

type Props = { path: string; source: PreviewSource | undefined; onOpen: () => void } & Pick<Excerpts, "onInView">

/** The first lines or rows of a result, or its picture. */
export function Excerpt({ path, source, onInView, onOpen }: Props) {
  const watch = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined
      const observer = new IntersectionObserver((entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) onInView(path)
      })
      observer.observe(element)
      return () => observer.disconnect()
    },
    [path, onInView],
  )
  if (source === undefined) return <div ref={watch} className={styles["awaited"]} />
  if ("image" in source)
    return (
      <div className={styles["excerpt"]}>
        <ResultImage image={source.image} path={path} />
      </div>
    )
  // What can't be shown is explained by the dialog.
  if ("unshowable" in source || typeof source.content === "string") return null
  return <TextExcerpt path={path} excerpt={source.content.excerpt} onOpen={onOpen} />
}

type TextProps = { path: string; excerpt: ExcerptContent; onOpen: () => void }

function TextExcerpt({ path, excerpt: { drawing, more }, onOpen }: TextProps) {
  return (
    <>
      <ScrollRegion label={`Beginning of ${writeHidden(path)}`} className={styles["excerpt"]}>
        <Drawn drawing={drawing} />
      </ScrollRegion>
      {more > 0 && (
        <Button kind="plain" size="small" className={styles["more"]} onClick={onOpen}>
          {plural(more, "table" in drawing ? "more row" : "more line")}
          <HiddenName>{`of ${path}`}</HiddenName>
        </Button>
      )}
    </>
  )
}

function Drawn({ drawing }: { drawing: Drawing }) {
  if ("tree" in drawing) return <MarkdownText tree={drawing.tree} />
  if ("table" in drawing) return <CsvExcerpt header={drawing.table.header} rows={drawing.table.rows} />
  return drawing.blocks.map((parts, index) => (
    <div key={index} className={styles["plain"]}>
      <OutsideParts multiline parts={parts} />
    </div>
  ))
}
