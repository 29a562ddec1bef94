import { createElement, memo, type ReactNode } from "react"
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

const drawAll = (nodes: readonly PreviewNode[]): readonly ReactNode[] =>
  // The only identity of a node is its place.
  nodes.map((node, index) => <Node key={index} node={node} />)

function Node({ node }: { node: PreviewNode }) {
  if (typeof node === "string") return <OutsideText>{node}</OutsideText>
  const { tag, children } = node
  if (tag === "hr") return <hr />
  if (tag === "br") return <br />
  const content = drawAll(children)
  if (tag === "address") return <span className={styles["address"]}>{content}</span>
  if (tag === "th") return <th scope="col">{content}</th>
  if (tag !== "table") return createElement(tag, undefined, content)
  return (
    <div className={styles["tableFrame"]}>
      <table>{content}</table>
    </div>
  )
}
