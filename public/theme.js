// Before the first paint, which no module can be: the theme that this browser chose. The policy allows no inline script.
try {
  const theme = localStorage.getItem("workdesk:theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
} catch {
  // A browser that refuses storage follows the system.
}
