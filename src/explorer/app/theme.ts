import type { AppState } from './app-state.js';
import type { PageStore } from './store.js';

/** Shows the theme that the state names, and follows the system's if the state says so. */
export function followTheme(store: PageStore<AppState>): void {
  const media = matchMedia('(prefers-color-scheme: dark)');
  const show = () => {
    const { theme } = store.get();
    const shown = theme === 'system' ? (media.matches ? 'dark' : 'light') : theme;
    document.documentElement.dataset['theme'] = shown;
    if (store.get().shownTheme !== shown) store.update({ shownTheme: shown });
  };
  media.addEventListener('change', show);
  store.subscribe(show);
  show();
}
