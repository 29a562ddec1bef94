/** The theme of the app: light, dark, or as the system. */
import { schemaOf } from "../client/value-schema.ts"
import { defineKind, onStorageChange, useEntry } from "../client/storage.ts"

/** `system` follows the operating system. */
export type Theme = "system" | "light" | "dark"

export const themes: readonly Theme[] = ["system", "light", "dark"]

/** The theme belongs to the browser, because it is shown before the person is known. */
const chosenTheme = defineKind<readonly [], Theme>({
  name: "theme",
  schema: schemaOf((value): value is Theme => themes.some((theme) => theme === value)),
  owner: "anyone",
  keptDays: 3650,
})()

/** Applies the theme of this browser, and follows a change in another tab. The script blocks rendering, so that nothing is painted before. */
export function applyTheme(): void {
  const show = () => {
    const theme = chosenTheme.read() ?? "system"
    if (theme === "system") delete document.documentElement.dataset["theme"]
    else document.documentElement.dataset["theme"] = theme
  }
  show()
  onStorageChange(show)
}

/** The chosen theme and how to choose another one, for every tab of this browser. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  return [useEntry(chosenTheme) ?? "system", chooseTheme]
}

/** Stores the theme for every tab of this browser. */
export function chooseTheme(theme: Theme): void {
  chosenTheme.write(theme)
}
