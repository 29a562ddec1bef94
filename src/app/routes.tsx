import { lazy } from "react"
import { Navigate, Route, Routes } from "react-router"
import { NotFound } from "./shell/not-found.tsx"
import { Shell } from "./shell/shell.tsx"
import WorkListPage from "./work/work-list-page.tsx"

const WorkPage = lazy(() => import("./work/work-page.tsx"))
const NewWorkPage = lazy(() => import("./new-work/new-work-page.tsx"))
const NeedsYouPage = lazy(() => import("./attention/needs-you-page.tsx"))
const ApprovalsPage = lazy(() => import("./approvals/approvals-page.tsx"))

/** The app's addresses. The list comes with the first load, every other page when it is first visited. */
export function AppRoutes() {
  return (
    <Routes>
      <Route element={<Shell />}>
        <Route index element={<Navigate to="/work" replace />} />
        <Route path="work" element={<WorkListPage />} />
        <Route path="work/new" element={<NewWorkPage />} />
        <Route path="work/:id" element={<WorkPage />} />
        <Route path="needs-you" element={<NeedsYouPage />} />
        <Route path="approvals" element={<ApprovalsPage />} />
        <Route path="*" element={<NotFound />} />
      </Route>
    </Routes>
  )
}
