import type { VNode } from 'preact';
import { html } from '../app/html.js';

/** The lines of the icons, on a square of 16. */
const paths = {
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  up: 'M4 10l4-4 4 4',
  plus: 'M8 4v8M4 8h8',
  minus: 'M4 8h8',
  close: 'M4 4l8 8M12 4l-8 8',
  link: 'M7 9a2.5 2.5 0 0 0 3.6 0l2-2A2.5 2.5 0 0 0 9 3.5l-.7.7M9 7a2.5 2.5 0 0 0-3.6 0l-2 2A2.5 2.5 0 0 0 7 12.5l.7-.7',
  play: 'M5 3.5v9l7-4.5z',
  pause: 'M5.5 4v8M10.5 4v8',
  stop: 'M4.5 4.5h7v7h-7z',
  columns: 'M2.5 3.5h11v9h-11zM6.2 3.5v9M9.8 3.5v9',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.5V8l2.5 1.5',
  theme: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 2v12',
  more: 'M4 8h.01M8 8h.01M12 8h.01',
  list: 'M3 4h10M3 8h10M3 12h6',
} as const;

/** A small drawing beside a word, hidden from screen readers. */
export function Icon({ name }: { readonly name: keyof typeof paths }): VNode {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=${paths[name]} /></svg>`;
}
