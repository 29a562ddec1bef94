import { onStoredChange, readStored, useStored, writeStored } from "../client/stored.ts"

/** `system` follows the operating system. */
export type Theme = "system" | "light" | "dark"

export const themes: readonly Theme[] = ["system", "light", "dark"]

const themeOf = (stored: string | undefined): Theme => themes.find((theme) => theme === stored) ?? "system"

/** Shows the theme that this browser chose, and follows a choice in another tab. The script blocks rendering, so that nothing is painted before. */
export function applyTheme(): void {
  const show = () => {
    const theme = themeOf(readStored("theme"))
    if (theme === "system") delete document.documentElement.dataset["theme"]
    else document.documentElement.dataset["theme"] = theme
  }
  show()
  onStoredChange(show)
}

/** The chosen theme and how to choose another one, for every tab of this browser. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  return [themeOf(useStored("theme")), chooseTheme]
}

function chooseTheme(theme: Theme): void {
  writeStored("theme", theme === "system" ? undefined : theme)
}
