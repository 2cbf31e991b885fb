import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from '../app/html.js';
import { keyHandler } from './key-handler.js';

interface Props {
  /** The content of the button. */
  readonly label: ComponentChildren;
  readonly title: string;
  readonly look?: string;
  readonly children: ComponentChildren;
}

/** A button that opens a panel below it; Escape, a click elsewhere or a choice closes the panel. */
export function Menu({ label, title, look = 's', children }: Props): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    box.current?.querySelector('button')?.focus();
  };
  const closeOnChoice = ({ target }: Event) => (target as Element).closest('.item') && close();
  const closeOnEscape = keyHandler({
    Escape: (event) => {
      event.stopPropagation();
      close();
    },
  });
  useEffect(() => {
    const onPointer = ({ target }: Event) => {
      if (!box.current?.contains(target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', onPointer);
    return () => document.removeEventListener('pointerdown', onPointer);
  }, []);
  return html`<div class="menu" ref=${box} onKeyDown=${isOpen && closeOnEscape}>
    <button type="button" class="b ${look}" title=${title} aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>${label}</button>
    ${isOpen && html`<div class="panel" onClick=${closeOnChoice} onSubmit=${close}>${children}</div>`}
  </div>`;
}

/** Creates an item of a menu's list. */
export function menuItem(label: string, pick: () => void, properties: object = {}): VNode {
  return html`<li key=${label}><button type="button" class="item" onClick=${pick} ...${properties}>${label}</button></li>`;
}
