import type { ReactNode } from "react"
import Markdown, { type Components } from "react-markdown"
import remarkGfm from "remark-gfm"
import { OutsideText } from "../ui/outside-text.tsx"
import styles from "./preview.module.css"
import { ScrollRegion, TextPreview } from "./preview-text.tsx"

/**
 * The time of the parser grows with the square of the marks of a paragraph (20 kB of `a*`: 1.4 s) and with the nesting of quotes and lists. A
 * text beyond these limits was probably made to break a reader, and is shown as it is.
 */
const MARKS_MAX = 5_000
const DEEP = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){40}/m

/** Markdown as elements of a short list: no HTML of the text, and no address that can be followed or loaded. */
export function MarkdownPreview({ text }: { text: string }) {
  if (DEEP.test(text) || (text.match(/[_*~`[\]<]/g)?.length ?? 0) > MARKS_MAX) return <TextPreview text={text} />
  return (
    <ScrollRegion label="Markdown" className={styles["markdown"]}>
      <Markdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[wrapTexts]}
        allowedElements={Object.keys(components)}
        unwrapDisallowed
        components={components}
        // An address is shown as it is. No element of the list below has one.
        urlTransform={(address) => address}
      >
        {text}
      </Markdown>
    </ScrollRegion>
  )
}

const Address = ({ children }: { children: ReactNode }) => <span className={styles["address"]}>{children}</span>

/** The elements that a text can have. Headings begin one level below the heading of the dialog. */
const components = {
  h1: "h3",
  h2: "h4",
  h3: "h5",
  h4: "h6",
  h5: "h6",
  h6: "h6",
  p: "p",
  em: "em",
  strong: "strong",
  del: "del",
  code: "code",
  pre: "pre",
  blockquote: "blockquote",
  ul: "ul",
  ol: "ol",
  li: "li",
  hr: "hr",
  br: "br",
  thead: "thead",
  tbody: "tbody",
  tr: "tr",
  td: "td",
  th: ({ children }) => <th scope="col">{children}</th>,
  table: ({ children }) => (
    <div className={styles["tableFrame"]}>
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => (checked === true ? "☑" : "☐"),
  a: ({ node, href = "", children }) => (
    <>
      {children}
      {textOf(node) !== href && (
        <Address>
          {" "}
          <OutsideText>{href}</OutsideText>
        </Address>
      )}
    </>
  ),
  img: ({ alt = "", src = "" }) => (
    <Address>
      Image, not loaded: <OutsideText>{alt}</OutsideText> <OutsideText>{src}</OutsideText>
    </Address>
  ),
  bdi: ({ node }) => <OutsideText>{textOf(node)}</OutsideText>,
} satisfies Components

/** A node of the parsed text (hast). */
type Node = {
  type: string
  tagName?: string
  value?: string
  properties?: object
  children?: Node[] | undefined
}

/** Puts each text, and each piece of HTML as text, into an element of its own, which shows invisible characters. */
function wrapTexts() {
  return function wrap(node: Node): void {
    node.children = node.children?.map((child) => {
      if ((child.type !== "text" && child.type !== "raw") || child.value?.trim() === "") {
        wrap(child)
        return child
      }
      const text = { type: "text", value: child.value ?? "" }
      return { type: "element", tagName: "bdi", properties: {}, children: [text] }
    })
  }
}

function textOf(node: Node | undefined): string {
  return node?.value ?? node?.children?.map(textOf).join("") ?? ""
}
