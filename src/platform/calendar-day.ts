/** Whether the calendar has a day such as `2026-11-28`. `Date` reads February 30 as a day of March. */
export function isCalendarDay(text: string): boolean {
  const day = new Date(text)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}
