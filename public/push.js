/**
 * The worker of push messages (`docs/notices.md`). A message is a kind, a number and a path; the words are here. The worker has no `fetch` handler and
 * caches nothing, so that it is never between the app and the desk.
 */
const WORDS = {
  approval: () => "An approval waits",
  clarification: () => "A clarification waits",
  items: (number) => `${number} items wait`,
  "own done": () => "Your Work is done",
  "own paused": () => "Your Work is paused",
  "own approved": () => "An approval of your Work was approved",
  "own declined": () => "An approval of your Work was declined",
  "part done": () => "A Work that you answered in is done",
  "stood-in done": () => "Stand-in: Work is done",
  "stood-in paused": () => "Stand-in: Work is paused",
  "stood-in approved": () => "Stand-in: an approval was approved",
  "stood-in declined": () => "Stand-in: an approval was declined",
  works: (number) => `${number} of your Works changed`,
  test: () => "A test from Workdesk",
}
const UNREADABLE = { title: "Something waits at Workdesk", path: "/" }

/** The words and the path of a message. A browser demands that each message shows a banner, so one that cannot be read shows one too. */
function read(data) {
  try {
    const { kind, number, path } = data.json()
    const say = Object.hasOwn(WORDS, kind) ? WORDS[kind] : undefined
    if (say === undefined || !Number.isSafeInteger(number) || number < 1) return UNREADABLE
    return { title: say(number), path: ownPath(path) }
  } catch {
    return UNREADABLE
  }
}

/** A path of the desk, or `/` for whatever a browser could take for an address of another origin. */
function ownPath(path) {
  if (typeof path !== "string" || !path.startsWith("/")) return "/"
  const url = new URL(path, location.origin)
  return url.origin === location.origin ? url.pathname + url.search : "/"
}

self.addEventListener("install", () => self.skipWaiting())
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()))

self.addEventListener("push", (event) => {
  const { title, path } = read(event.data)
  // A message that comes twice has the same path, and takes the place of the banner.
  event.waitUntil(
    self.registration.showNotification(title, { tag: path, renotify: true, data: path, icon: "/icon-192.png" }),
  )
})

self.addEventListener("notificationclick", (event) => {
  event.notification.close()
  event.waitUntil(open(ownPath(event.notification.data)))
})

/** Opens a path in a tab of the desk that is open already, the one in use first, or in a new one. */
async function open(path) {
  const tabs = await self.clients.matchAll({ type: "window", includeUncontrolled: true })
  const tab =
    tabs.find(({ focused }) => focused) ?? tabs.find(({ visibilityState }) => visibilityState === "visible") ?? tabs[0]
  if (tab === undefined) return self.clients.openWindow(path)
  // A browser may refuse to raise the tab, and leads no tab elsewhere that this worker does not control.
  return tab
    .focus()
    .then(() => tab.navigate(path))
    .catch(() => self.clients.openWindow(path))
}
