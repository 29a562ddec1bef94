/** The figures that benchmarks print. */

/** The value below which this share of the values lies; NaN where there are no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** How long each measurement takes: the first whole number on the command line. */
export function secondsAsked(): number {
  return Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 4)
}
