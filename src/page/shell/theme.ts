/** Light, dark, or as the system is. The choice is kept in this browser. */
const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEPT_AS = 'assay.theme';
export const THEME_CHANGED = 'assay:theme';

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEPT_AS);
  return THEMES.find((one) => one === kept) ?? 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, theme);
  document.documentElement.dataset.theme = theme;
  window.dispatchEvent(new Event(THEME_CHANGED));
}
