/** The code of all banners, which arrives with the first of them. */
export { AbsenceBanner } from "../notices/absence-banner.tsx"
export { Banner, Banners } from "../ui/banner.tsx"
export { FreezeBanner } from "./freeze-banner.tsx"
