/** Whether nobody can see this tab. */
export function isHidden(): boolean {
  return document.visibilityState === "hidden" || document.hidden
}
