import { keepTheme, type Theme } from '../client/keep.js';
import type { AppState } from './app-state.js';
import type { Store } from './store.js';

/** Shows the theme of the state, and follows the system if the theme says so. */
export function followTheme(store: Store<AppState>): void {
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

/** Stores a theme for the next visit, and shows it. */
export function setTheme(store: Store<AppState>, theme: Theme): void {
  keepTheme(theme);
  store.update({ theme });
}
