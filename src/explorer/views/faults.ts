import type { VNode } from 'preact';
import type { PageProps } from '../app/app.js';
import { html } from '../app/html.js';
import { applyEdits, suggestedMending } from '../model/mend.js';

/** Shows the faults of the query, with a button if the hint suggests a replacement. */
export function Faults({ app, state }: PageProps): VNode {
  const { faults, page, isCompleting } = state;
  const { language } = page;
  const text = language === 'stored' ? '' : page[language];
  return html`<div role="alert">${
    faults.length > 0 &&
    html`<ul class="faults ${isCompleting ? 'aside' : ''}" aria-label="Errors">
    ${faults.map((fault) => {
      const { line, column = 1 } = fault;
      const mending = suggestedMending(text, fault);
      return html`<li key=${fault.message}>
        <span class="place">${line && `${line}:${column}`}</span>
        <span class="message">${fault.message.replace(/ at \[\d+:\d+\]$/, '')}</span>
        ${mending && html`<button type="button" class="b line s" onClick=${() => app.change({ [language]: applyEdits(text, mending.edits) })}>Use ${mending.title}</button>`}
      </li>`;
    })}
  </ul>`
  }</div>`;
}
