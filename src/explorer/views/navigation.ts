import type { VNode } from 'preact';
import type { App, PageProps } from '../app/app.js';
import { html } from '../app/html.js';
import type { Endpoint, Table } from '../model/endpoint.js';
import { type Example, examplesOf } from '../model/examples.js';
import { isNarrow } from './narrow.js';

/** The endpoints, examples for their tables, and the queries that were run before. */
export function Navigation({
  app,
  state,
  endpoint,
}: PageProps & { readonly endpoint: Endpoint | undefined }): VNode {
  const endpoints = state.catalog?.endpoints ?? [];
  return html`<nav aria-label="Endpoints and examples">
    <h2>Endpoints</h2>
    <ul>
      ${endpoints.map(
        ({ name }) => html`<li key=${name}>
          <button type="button" class="item" aria-current=${name === endpoint?.name ? 'page' : undefined}
            onClick=${() => app.pickEndpoint(name)}>${name}</button>
        </li>`,
      )}
    </ul>
    ${
      endpoint &&
      endpoint.tables.length > 0 &&
      html`<details class="sources" open=${!isNarrow()}>
        <summary><h2>Sources</h2></summary>
        ${endpoint.tables.map((table) => html`<${TableExamples} key=${table.name} ...${{ app, table }} />`)}
      </details>`
    }
    ${state.history.length > 0 && html`<${History} ...${{ app, state }} />`}
  </nav>`;
}

function TableExamples({ app, table }: { readonly app: App; readonly table: Table }): VNode {
  const use = ({ language, text }: Example) => {
    app.change({ language, [language]: text });
    void app.run();
  };
  return html`<details>
    <summary>${table.name}</summary>
    <ul>
      ${examplesOf(table).map(
        (example) => html`<li key=${example.text}>
          <button type="button" class="item" onClick=${() => use(example)}>
            ${example.title} <span class="tag">${example.language.toUpperCase()}</span>
          </button>
        </li>`,
      )}
    </ul>
  </details>`;
}

function History({ app, state }: PageProps): VNode {
  const known = new Set(state.catalog?.endpoints.map(({ name }) => name));
  const past = state.history.filter(({ endpoint }) => known.has(endpoint));
  return html`<details class="history">
    <summary>History</summary>
    <ul>
      ${past.map(
        ({ endpoint, language, text, at }) => html`<li key=${at}>
          <button type="button" class="item" title=${text}
            onClick=${() => app.change({ endpoint, language, [language]: text })}>
            <code>${text.replaceAll(/\s+/g, ' ').slice(0, 120)}</code>
          </button>
        </li>`,
      )}
    </ul>
    <button type="button" class="small" onClick=${app.forgetHistory}>Clear history</button>
  </details>`;
}
