import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { App, EndpointProps, PageProps } from '../app/app.js';
import { html } from '../app/html.js';
import { endpointAddress } from '../client/api.js';
import type { Fault } from '../model/endpoint.js';
import { type Mending, mend, mendingOf } from '../model/mend.js';
import type { Language } from '../model/page-state.js';
import { printRequest, type RequestLanguage, requestLanguages } from '../model/request-lines.js';
import { LaterEditor } from './later.js';

interface PanelProps extends EndpointProps {
  readonly live: {
    readonly isOffered: boolean;
    readonly isLive: boolean;
    readonly toggle: () => void;
  };
}

const titles: Readonly<Record<Language, string>> = {
  stored: 'Stored query',
  sql: 'SQL',
  lql: 'LQL',
};

/** The query: the endpoint's own, or one of the user's in SQL or LQL. */
export function QueryPanel({ app, state, endpoint, live }: PanelProps): VNode {
  const [showsRequest, setShowsRequest] = useState(false);
  const { page } = state;
  const languages: readonly Language[] = endpoint.sandbox ? ['stored', 'sql', 'lql'] : ['stored'];
  const text = page.language === 'stored' ? endpoint.sql : page[page.language];
  return html`<section class="query" aria-label="Query">
    <${Tabs} ...${{ languages, chosen: page.language, pick: app.show }} />
    <div id="query-text" role="tabpanel" aria-labelledby="tab-${page.language}">
      <${LaterEditor} ...${{ app, endpoint, text, language: page.language, faults: state.faults, functions: state.catalog?.functions ?? [] }} />
    </div>
    <${Faults} ...${{ app, state, text }} />
    <div class="actions">
      <${RunButton} ...${{ app, state }} />
      ${page.language === 'lql' && html`<button type="button" onClick=${() => app.attempt(() => showAsSql(app))}>Show as SQL</button>`}
      ${live.isOffered && html`<button type="button" aria-pressed=${live.isLive} onClick=${live.toggle}>Live tail</button>`}
      <button type="button" aria-expanded=${showsRequest} aria-controls="request-lines"
        onClick=${() => setShowsRequest(!showsRequest)}>Request as code</button>
      <span class="hint keys">Ctrl or ⌘ Enter runs, Esc cancels</span>
    </div>
    <div id="request-lines">${showsRequest && html`<${RequestLines} ...${{ app, state }} />`}</div>
  </section>`;
}

interface TabsProps {
  readonly languages: readonly Language[];
  readonly chosen: Language;
  readonly pick: (language: Language) => void;
}

function Tabs({ languages, chosen, pick }: TabsProps): VNode {
  const list = useRef<HTMLDivElement>(null);
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const index = (languages.indexOf(chosen) + step + languages.length) % languages.length;
    pick(languages[index] ?? chosen);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[index]?.focus();
  };
  return html`<div class="tabs" role="tablist" aria-label="Query language" ref=${list} onKeyDown=${onKey}>
    ${languages.map(
      (language) => html`<button type="button" role="tab" id="tab-${language}" key=${language}
      aria-selected=${language === chosen} aria-controls="query-text" tabindex=${language === chosen ? 0 : -1}
      onClick=${() => pick(language)}>${titles[language]}</button>`,
    )}
  </div>`;
}

function RunButton({ app, state }: PageProps): VNode {
  if (state.run.kind !== 'running') {
    return html`<button type="button" key="run" class="primary" onClick=${() => void app.run()}>Run</button>`;
  }
  return html`<button type="button" key="cancel" class="primary" onClick=${app.cancel}>Cancel</button>`;
}

/** The faults of the query, with a button where the hint says what to write instead. */
function Faults({ app, state, text }: PageProps & { readonly text: string }): VNode {
  const { language } = state.page;
  const use = (mending: Mending) => {
    if (language !== 'stored') app.change({ [language]: mend(text, mending) });
  };
  return html`<div role="alert"><ul class="faults" aria-label="Faults">
    ${state.faults.map((fault: Fault) => {
      const mending = mendingOf(text, fault);
      return html`<li key=${fault.message} class="fault">
        <span>${fault.message}</span>
        ${mending && html`<button type="button" class="small" onClick=${() => use(mending)}>Use ${mending.insert}</button>`}
      </li>`;
    })}
  </ul></div>`;
}

async function showAsSql(app: App): Promise<void> {
  const { page } = app.store.get();
  const sql = await app.api().asSql(page.endpoint, app.bodyOf(page));
  app.change({ language: 'sql', sql: sql.trim() });
}

function RequestLines({ app, state }: PageProps): VNode {
  const [language, setLanguage] = useState<RequestLanguage>('curl');
  const request = { url: endpointAddress(state.page.endpoint), body: app.bodyOf(state.page) };
  const code = printRequest(language, request);
  return html`<div class="request">
    <div class="actions">
      ${requestLanguages.map(
        (
          one,
        ) => html`<button type="button" key=${one} class="small" aria-pressed=${one === language}
        onClick=${() => setLanguage(one)}>${one}</button>`,
      )}
      <button type="button" class="small" onClick=${() => app.copy(code, 'Copied')}>Copy</button>
    </div>
    <pre tabindex="0" aria-label="The request in ${language}">${code}</pre>
  </div>`;
}
