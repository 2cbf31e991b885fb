import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { EndpointProps, PageProps } from '../app/app.js';
import { requestBody } from '../app/app-state.js';
import { html } from '../app/html.js';
import { endpointAddress } from '../client/api.js';
import type { ListedEndpoint } from '../model/endpoint.js';
import { lqlAsSql } from '../model/matches.js';
import { requestPrinters } from '../model/request-lines.js';
import { Icon } from './icon.js';

/** Shows the endpoint's own query on one line, which expands in place; also the request as code. */
export function StoredLine({ app, state, endpoint }: EndpointProps): VNode {
  const [shown, setShown] = useState<'' | 'query' | 'request'>('');
  const toggle = (what: 'query' | 'request') => setShown(shown === what ? '' : what);
  const { page } = state;
  const asSql = () => {
    const sql = lqlAsSql(page.lql, endpoint);
    if (sql === undefined) app.say('The query has an error, so it cannot be shown as SQL');
    else app.change({ language: 'sql', sql });
  };
  return html`<section class="stored" aria-label="Stored query">
    <div class="stored-line">
      <button type="button" class="fold" aria-expanded=${shown === 'query'} aria-controls="stored-text" onClick=${() => toggle('query')}>
        <${Icon} name=${shown === 'query' ? 'down' : 'right'} /> <span class="what">Stored query</span> <b>${endpoint.name}</b> · ${describeSettings(endpoint).join(' · ')}
      </button>
      <span class="grow"></span>
      ${page.language === 'lql' && html`<button type="button" class="b s" onClick=${asSql}>Show as SQL</button>`}
      <button type="button" class="b s" aria-expanded=${shown === 'request'} aria-controls="stored-text" onClick=${() => toggle('request')}>Request as code</button>
    </div>
    <div id="stored-text">
      ${shown === 'query' && html`<pre class="text" tabindex="0" aria-label="Stored query">${withoutHeader(endpoint.sql)}</pre>`}
      ${shown === 'request' && html`<${RequestLines} ...${{ app, state }} />`}
    </div>
  </section>`;
}

function describeSettings(endpoint: ListedEndpoint): readonly string[] {
  const { maxRows, cacheSeconds, redactPii, sandbox } = endpoint;
  return [
    `up to ${maxRows.toLocaleString('en')} rows`,
    cacheSeconds === 0 ? 'not cached' : `cached for ${cacheSeconds} s`,
    ...(redactPii ? ['personal data redacted'] : []),
    sandbox ? 'takes LQL and SQL' : 'takes no queries',
  ];
}

/** Removes the comments at the beginning. */
function withoutHeader(sql: string): string {
  return sql.replace(/^(?:\s*--[^\n]*\n)*/, '').trim();
}

function RequestLines({ app, state }: PageProps): VNode {
  const [language, setLanguage] = useState('curl');
  const { page } = state;
  const request = { url: endpointAddress(page.endpoint), body: requestBody(state, page) };
  const code = requestPrinters[language]?.(request) ?? '';
  return html`<div class="request">
    <div class="actions">
      ${Object.keys(requestPrinters).map(
        (one) => html`<button type="button" key=${one} class="b s" aria-pressed=${one === language}
          onClick=${() => setLanguage(one)}>${one}</button>`,
      )}
      <button type="button" class="b line s" onClick=${() => app.copy(code, 'Copied')}>Copy</button>
    </div>
    <pre class="text" tabindex="0" aria-label="The request in ${language}">${code}</pre>
  </div>`;
}
