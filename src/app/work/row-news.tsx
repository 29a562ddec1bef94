/** What is new in the Work of a row. */
import type { NewWorkEntry } from "../../contract/desk-work.ts"
import { formatNews } from "../ui/news-words.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import styles from "./work-list.module.css"

export const RowNews = ({ news }: { news: NewWorkEntry }) => (
  <span className={styles["new"]}>
    <OutsideText>{formatNews(news)}</OutsideText>
  </span>
)
