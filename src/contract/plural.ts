/** A number with commas: "1,200". */
export function formatNumber(count: number | bigint): string {
  return count.toLocaleString("en")
}

/** A size with its noun: "1 byte", "1,200 bytes". */
export function plural(count: number | bigint, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${pluralForm(count, one, many)}`
}

/** A number of Works or of their items, without commas: "1 open Work", "1200 open Works". */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${pluralForm(count, one, many)}`
}

/** The form of a word that agrees with a number: "is" or "are", "it" or "them". */
export function pluralForm(count: number | bigint, one: string, many: string): string {
  return Number(count) === 1 ? one : many
}

/** How many Works the app can't show, because they don't match openapi.yaml. */
export const formatUnread = (count: number): string => `${count} can't be read`
