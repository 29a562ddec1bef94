/** The panel at the end of the menu: the person, notices, theme and shortcuts. A phone also has the links there that its menu has no room for. */
import { Icon, type IconName } from "../ui/icon.tsx"
import { part } from "../ui/part.tsx"
import { ListViews, type MenuProps, Place } from "./menu.tsx"
import styles from "./more-panel.module.css"
import shellStyles from "./shell.module.css"
import { type Theme, themes, useTheme } from "./theme.ts"

const Person = part("Name and roles", async () => (await import("./person-area.tsx")).Person)
const SignOutButtons = part("Sign out", async () => (await import("./person-area.tsx")).SignOutButtons)

const themeIcons: Readonly<Record<Theme, IconName>> = { system: "system", light: "sun", dark: "moon" }

/** `onLeave` is called before another dialog opens. */
type Props = MenuProps & { onLeave: () => void; isPhone: boolean }

export function MorePanel({ session, onHelp, onGoTo, onLeave, isPhone }: Props) {
  const [theme, chooseTheme] = useTheme()
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system"
  const leaveTo = (act: () => void) => () => {
    onLeave()
    act()
  }
  const isSignedIn = session.mode === "sign-in"
  return (
    <div className={styles["panel"]}>
      {isSignedIn && <Person person={session.person} />}
      <div className={styles["choices"]}>
        {isPhone && <Place to="/record" name="Record" icon="record" />}
        <Place to="/notices" name="Notices" icon="bell" />
        {isPhone && (
          <>
            <div className={styles["heading"]}>Views</div>
            <ListViews session={session} />
            <Choice icon="search" name="Go to" onClick={leaveTo(onGoTo)} />
          </>
        )}
        <Choice
          icon={themeIcons[theme]}
          name={`Theme: ${theme}`}
          label={`Theme: ${theme}. Change to ${next}`}
          onClick={() => chooseTheme(next)}
        />
        <Choice icon="keyboard" name="Keyboard shortcuts" title="?" onClick={leaveTo(onHelp)} />
      </div>
      <div className="small soft">
        {session.upstream === "embedded" ? "Embedded" : session.upstream} · Workdesk {session.version}
      </div>
      {isSignedIn && <SignOutButtons />}
    </div>
  )
}

type ChoiceProps = { icon: IconName; name: string; label?: string; title?: string; onClick: () => void }

const Choice = ({ icon, name, label, title, onClick }: ChoiceProps) => (
  <button type="button" className={shellStyles["link"]} aria-label={label} title={title} onClick={onClick}>
    <Icon name={icon} size={17} />
    {name}
  </button>
)
