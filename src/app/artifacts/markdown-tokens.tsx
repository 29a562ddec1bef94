import type { MarkedToken, Tokens } from "marked"
import { OutsideText } from "../ui/outside-text.tsx"
import { decodeEntities, markedTokens } from "./markdown.ts"
import styles from "./preview.module.css"

/** Renders tokens of Markdown as React elements. The order never changes, so the index is the key. */
export function MarkdownTokens({ tokens }: { tokens: readonly MarkedToken[] }) {
  return tokens.map((token, index) => <MarkdownToken key={index} token={token} />)
}

function MarkdownToken({ token }: { token: MarkedToken }) {
  switch (token.type) {
    case "space":
    case "def":
      return null
    case "heading":
      return <Heading token={token} />
    case "paragraph":
      return (
        <p>
          <MarkdownTokens tokens={markedTokens(token.tokens)} />
        </p>
      )
    case "text":
      return "tokens" in token && token.tokens !== undefined ? (
        <MarkdownTokens tokens={markedTokens(token.tokens)} />
      ) : (
        <OutsideText>{decodeEntities(token.text)}</OutsideText>
      )
    case "escape":
      return <OutsideText>{token.text}</OutsideText>
    case "html":
      // HTML in the text is shown as text.
      return <OutsideText>{token.raw}</OutsideText>
    case "strong":
      return (
        <strong>
          <MarkdownTokens tokens={markedTokens(token.tokens)} />
        </strong>
      )
    case "em":
      return (
        <em>
          <MarkdownTokens tokens={markedTokens(token.tokens)} />
        </em>
      )
    case "del":
      return (
        <del>
          <MarkdownTokens tokens={markedTokens(token.tokens)} />
        </del>
      )
    case "codespan":
      return (
        <code>
          <OutsideText>{token.text}</OutsideText>
        </code>
      )
    case "code":
      return (
        <pre>
          <OutsideText multiline>{token.text}</OutsideText>
        </pre>
      )
    case "blockquote":
      return (
        <blockquote>
          <MarkdownTokens tokens={markedTokens(token.tokens)} />
        </blockquote>
      )
    case "list":
      return <List token={token} />
    case "list_item":
      return <Item token={token} />
    case "checkbox":
      return <span>{token.checked ? "☑ " : "☐ "}</span>
    case "table":
      return <Table token={token} />
    case "hr":
      return <hr />
    case "br":
      return <br />
    case "link":
      return <Link token={token} />
    case "image":
      return (
        <span className={styles["address"]}>
          Image, not loaded: <OutsideText>{decodeEntities(token.text)}</OutsideText>{" "}
          <OutsideText>{token.href}</OutsideText>
        </span>
      )
  }
}

/** Headings begin one level below the heading of the dialog. */
function Heading({ token }: { token: Tokens.Heading }) {
  const Level = (["h3", "h3", "h4", "h5", "h6", "h6", "h6"] as const)[token.depth] ?? "h6"
  return (
    <Level>
      <MarkdownTokens tokens={markedTokens(token.tokens)} />
    </Level>
  )
}

/** The text of a link, and its address as text. The link cannot be followed. */
function Link({ token }: { token: Tokens.Link }) {
  return (
    <>
      <MarkdownTokens tokens={markedTokens(token.tokens)} />
      {token.href !== token.text && (
        <span className={styles["address"]}>
          {" "}
          <OutsideText>{token.href}</OutsideText>
        </span>
      )}
    </>
  )
}

function List({ token }: { token: Tokens.List }) {
  const items = token.items.map((item, index) => <Item key={index} token={item} />)
  return token.ordered ? <ol start={token.start === "" ? 1 : token.start}>{items}</ol> : <ul>{items}</ul>
}

function Item({ token }: { token: Tokens.ListItem }) {
  return (
    <li>
      <MarkdownTokens tokens={markedTokens(token.tokens)} />
    </li>
  )
}

function Table({ token }: { token: Tokens.Table }) {
  return (
    <div className={styles["tableFrame"]}>
      <table>
        <thead>
          <tr>
            {token.header.map((cell, index) => (
              <th key={index} scope="col">
                <MarkdownTokens tokens={markedTokens(cell.tokens)} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, rowIndex) => (
            <tr key={rowIndex}>
              {row.map((cell, index) => (
                <td key={index}>
                  <MarkdownTokens tokens={markedTokens(cell.tokens)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
