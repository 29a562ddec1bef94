import type { Work } from "../../contract/resources.ts"

const folded = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()

/** The rows that contain every word of `text` in title, question, colleague or id; case and accents do not count. All rows for no words. */
export function findIn(rows: readonly Work[], text: string): readonly Work[] {
  const words = folded(text).split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter((work) => {
    const where = folded(`${work.title}\n${work.attention_question ?? ""}\n${work.colleague_id}\n${work.id}`)
    return words.every((word) => where.includes(word))
  })
}
