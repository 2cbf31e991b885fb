import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { html } from '../app/html.js';

const keys = [
  ['?', 'show these keys'],
  ['/', 'go to the query'],
  ['Enter in LQL, Ctrl or ⌘ Enter', 'run'],
  ['Esc', 'cancel the run; close what is open'],
  ['↑ ↓ Page Home End', 'move through the rows'],
  ['Enter', 'open the row'],
  ['J K', 'next and previous row, in the rows and in the opened record'],
  ['← → Shift+← → Enter Backspace', 'in the histogram: move, mark, zoom in, zoom out'],
  ['Ctrl Space', 'suggest what can be written here'],
  ['Space', 'pause and resume the live rows'],
] as const;

/** The keys of the page. */
export function KeysDialog({ close }: { readonly close: () => void }): VNode {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  return html`<dialog class="keys" ref=${box} onClose=${close} aria-label="Keys">
    <h2>Keys</h2>
    <dl>${keys.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl>
    <form method="dialog"><button class="b line">Close</button></form>
  </dialog>`;
}
