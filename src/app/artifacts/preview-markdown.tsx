import { createElement, memo, type ReactNode } from "react"
import { classes } from "../ui/classes.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import styles from "./preview.module.css"
import { ScrollRegion } from "./preview-text.tsx"
import type { PreviewNode } from "./preview-tree.ts"

/** Markdown as elements of a short list (`preview-tree.ts`). No element has an address. */
export const MarkdownPreview = memo(function MarkdownPreview({ tree }: { tree: readonly PreviewNode[] }) {
  return (
    <ScrollRegion label="Markdown" className={styles["markdown"]}>
      {drawAll(tree)}
    </ScrollRegion>
  )
})

/** Markdown within a page, whose outline its headings don't join. */
export const MarkdownText = memo(function MarkdownText({ tree }: { tree: readonly PreviewNode[] }) {
  return <div className={classes(styles["markdown"], styles["inPage"])}>{drawAll(tree, true)}</div>
})

const drawAll = (nodes: readonly PreviewNode[], isInPage = false): readonly ReactNode[] =>
  // The only identity of a node is its place.
  nodes.map((node, index) => <Node key={index} node={node} isInPage={isInPage} />)

const HEADINGS: readonly string[] = ["h3", "h4", "h5", "h6"]

function Node({ node, isInPage }: { node: PreviewNode; isInPage: boolean }) {
  if (typeof node === "string") return <OutsideText>{node}</OutsideText>
  const { tag, children } = node
  if (tag === "hr") return <hr />
  if (tag === "br") return <br />
  const content = drawAll(children, isInPage)
  if (tag === "address") return <span className={styles["address"]}>{content}</span>
  if (tag === "th") return <th scope="col">{content}</th>
  if (isInPage && HEADINGS.includes(tag)) return <div className={styles[tag]}>{content}</div>
  if (tag !== "table") return createElement(tag, undefined, content)
  return (
    <div className={styles["tableFrame"]}>
      <table>{content}</table>
    </div>
  )
}
