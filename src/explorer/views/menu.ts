import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from '../app/html.js';

interface Props {
  /** The content of the button. */
  readonly label: ComponentChildren;
  readonly title: string;
  readonly look?: string;
  readonly children: ComponentChildren | ((close: () => void) => ComponentChildren);
}

/** A button that opens a panel below it; Escape, a click elsewhere or a choice closes the panel. */
export function Menu({ label, title, look = '', children }: Props): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    box.current?.querySelector('button')?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    const onPointer = ({ target }: Event) => {
      if (!box.current?.contains(target as Node)) setOpen(false);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      close();
    };
    const panel = box.current;
    panel?.addEventListener('keydown', onKey);
    document.addEventListener('pointerdown', onPointer);
    return () => {
      panel?.removeEventListener('keydown', onKey);
      document.removeEventListener('pointerdown', onPointer);
    };
  }, [isOpen]);
  return html`<div class="menu" ref=${box}>
    <button type="button" class="b ${look}" title=${title} aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>${label}</button>
    ${isOpen && html`<div class="panel">${typeof children === 'function' ? children(close) : children}</div>`}
  </div>`;
}
