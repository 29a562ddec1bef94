/** A count with its noun: "1 byte", "1,200 bytes". */
export function plural(count: number | bigint, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${Number(count) === 1 ? one : many}`
}
