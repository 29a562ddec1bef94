const priorities: Readonly<Record<string, string>> = { low: "Low", normal: "Normal", high: "High", urgent: "Urgent" }
const scopes: Readonly<Record<string, string>> = { private: "Private", team: "Team", organization: "Organization" }

const wordOf = (words: Readonly<Record<string, string>>, value: string): string =>
  (Object.hasOwn(words, value) ? words[value] : undefined) ?? value

/** A WorkPriority in words; an unknown value as it is. */
export const priorityWord = (priority: string): string => wordOf(priorities, priority)

/** A VisibilityScope in words; an unknown value as it is. */
export const visibilityWord = (scope: string): string => wordOf(scopes, scope)
