export type Theme = 'system' | 'light' | 'dark'

/** These cookies hold a preference, never a right. */
export const THEME_COOKIE = 'clew-theme'
export const TEAM_COOKIE = 'clew-team'
export const FIRST_STEPS_COOKIE = 'clew-first-steps'

/** What a cookie or a menu says; anything unknown follows the system. */
export function themeOf(value: string | undefined): Theme {
  return value === 'light' || value === 'dark' ? value : 'system'
}
