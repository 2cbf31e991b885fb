import type { VNode } from 'preact';
import { html } from '../app/html.js';
import { Icon } from './icon.js';

interface Props {
  /** The name of the value, for screen readers. */
  readonly label: string;
  readonly filter: (isOut: boolean) => void;
}

/** The buttons that keep only the rows with a value, or only the rows without it. */
export function FilterButtons({ label, filter }: Props): VNode {
  return html`<button type="button" class="act" aria-label="Only ${label}" title="Only rows with this value" onClick=${() => filter(false)}><${Icon} name="plus" /></button>
    <button type="button" class="act" aria-label="Without ${label}" title="Without rows with this value" onClick=${() => filter(true)}><${Icon} name="minus" /></button>`;
}
