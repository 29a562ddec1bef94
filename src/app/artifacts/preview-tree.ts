/** Markdown as a tree of elements of a short list: no HTML of the text, and no address that can be followed or loaded. Runs in the worker. */
import { fromMarkdown } from "mdast-util-from-markdown"
import { gfmFromMarkdown } from "mdast-util-gfm"
import { gfm } from "micromark-extension-gfm"
import { splitHidden } from "../ui/hidden-characters.ts"

type Tag =
  | ("h3" | "h4" | "h5" | "h6" | "p" | "em" | "strong" | "del" | "code" | "pre" | "blockquote" | "ul" | "ol" | "li")
  | ("hr" | "br" | "table" | "thead" | "tbody" | "tr" | "th" | "td")
  /** An address, which is shown and leads nowhere. */
  | "address"

/** A text from outside, or an element. */
export type PreviewNode = string | { readonly tag: Tag; readonly children: readonly PreviewNode[] }

/** The most elements and invisible characters that the page draws without a pause, and the deepest nesting. */
const NODES_MAX = 4_000
const DEPTH_MAX = 50

type Root = ReturnType<typeof fromMarkdown>
type Content = Root["children"][number]

/** The tree of a Markdown text; undefined where it would have too many elements for the page. */
export function readMarkdown(text: string): readonly PreviewNode[] | undefined {
  const root = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
  const addresses = new Map<string, string>()
  let nodes = 0
  let isTooLarge = false

  const collectAddresses = (children: readonly Content[]) => {
    for (const child of children) {
      if (child.type === "definition" && !addresses.has(child.identifier)) addresses.set(child.identifier, child.url)
      else if ("children" in child) collectAddresses(child.children)
    }
  }

  const textNode = (value: string): readonly PreviewNode[] => {
    if (value === "") return []
    nodes += splitHidden(value).length
    return [value]
  }
  const address = (before: string, ...texts: readonly string[]): PreviewNode => ({
    tag: "address",
    children: [before, ...texts.flatMap(textNode)],
  })

  const convertAll = (children: readonly Content[], depth: number): readonly PreviewNode[] => {
    if (depth > DEPTH_MAX || nodes > NODES_MAX) {
      isTooLarge = true
      return []
    }
    return children.flatMap((child) => convert(child, depth + 1))
  }

  const convert = (node: Content, depth: number): readonly PreviewNode[] => {
    nodes += 1
    const inside = () => ("children" in node ? convertAll(node.children, depth) : [])
    const element = (tag: Tag, children = inside()): readonly PreviewNode[] => [{ tag, children }]
    switch (node.type) {
      case "text":
      case "html":
        return textNode(node.value)
      case "paragraph":
        return element("p")
      case "heading":
        // Headings begin one level below the heading of the dialog.
        return element(HEADINGS[node.depth - 1] ?? "h6")
      case "emphasis":
        return element("em")
      case "strong":
        return element("strong")
      case "delete":
        return element("del")
      case "inlineCode":
        return element("code", textNode(node.value))
      case "code":
        return element("pre", [{ tag: "code", children: textNode(node.value) }])
      case "blockquote":
        return element("blockquote")
      case "list":
        return element(node.ordered === true ? "ol" : "ul")
      case "listItem": {
        const box = typeof node.checked === "boolean" ? [node.checked ? "☑ " : "☐ "] : []
        // The items of a tight list have no paragraphs.
        const isTight = node.spread !== true
        const content = node.children.flatMap((child) =>
          isTight && child.type === "paragraph" ? convertAll(child.children, depth + 1) : convert(child, depth + 1),
        )
        return element("li", [...box, ...content])
      }
      case "thematicBreak":
        return element("hr", [])
      case "break":
        return element("br", [])
      case "table": {
        const [head, ...rows] = node.children
        const header = (head?.children ?? []).flatMap((cell): PreviewNode[] => {
          nodes += 1
          return [{ tag: "th", children: convertAll(cell.children, depth + 2) }]
        })
        const body = convertAll(rows, depth)
        return element("table", [
          { tag: "thead", children: [{ tag: "tr", children: header }] },
          { tag: "tbody", children: body },
        ])
      }
      case "tableRow":
        return element("tr")
      case "tableCell":
        return element("td")
      case "link":
        return withAddress(inside(), node.url)
      case "linkReference":
        return withAddress(inside(), addresses.get(node.identifier) ?? "")
      case "image":
        return [address("Image, not loaded: ", node.alt ?? "", " ", node.url)]
      case "imageReference":
        return [address("Image, not loaded: ", node.alt ?? "", " ", addresses.get(node.identifier) ?? "")]
      case "footnoteReference":
        return textNode(`[^${node.label ?? node.identifier}]`)
      case "footnoteDefinition":
        return [...textNode(`[^${node.label ?? node.identifier}]: `), ...inside()]
      case "definition":
      case "yaml":
        return []
    }
  }

  const withAddress = (children: readonly PreviewNode[], url: string): readonly PreviewNode[] => {
    const shown = children.map(textOf).join("")
    // An automatic link without its scheme, too, says where it would lead.
    return url === "" || shown === url || `mailto:${shown}` === url ? children : [...children, address(" ", url)]
  }

  collectAddresses(root.children)
  const tree = convertAll(root.children, 0)
  return isTooLarge || nodes > NODES_MAX ? undefined : tree
}

const HEADINGS = ["h3", "h4", "h5", "h6"] as const

const textOf = (node: PreviewNode): string => (typeof node === "string" ? node : node.children.map(textOf).join(""))
