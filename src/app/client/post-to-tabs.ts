/** Posts to the other tabs. A page that the browser is leaving has lost its channel already, and then tells nobody. */
export function postToTabs(channel: BroadcastChannel, message: unknown): void {
  try {
    channel.postMessage(message)
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "InvalidStateError")) throw error
  }
}
