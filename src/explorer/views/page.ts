import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { App, EndpointProps, PageProps } from '../app/app.js';
import { endpointOf } from '../app/app-state.js';
import { html } from '../app/html.js';
import { useStore } from '../app/store.js';
import type { Endpoint } from '../model/endpoint.js';
import { ParameterForm } from './form.js';
import { Navigation } from './navigation.js';
import { QueryPanel } from './query-panel.js';
import { Results } from './results.js';
import { SignIn } from './sign-in.js';
import { TailView } from './tail.js';

/** The whole page. */
export function Page({ app }: { readonly app: App }): VNode {
  const state = useStore(app.store);
  useKeys(app);
  const endpoint = endpointOf(state);
  if (state.catalog === undefined) {
    return state.isConnecting
      ? html`<main class="sign-in"><p role="status">Connecting…</p></main>`
      : html`<${SignIn} ...${{ app, state }} />`;
  }
  return html`<div class="page">
    <${Header} ...${{ app, state }} />
    <div class="columns">
      <${Navigation} ...${{ app, state, endpoint }} />
      <main id="main">
        ${endpoint ? html`<${EndpointView} key=${endpoint.name} ...${{ app, state, endpoint }} />` : html`<p class="hint">This token has no endpoints.</p>`}
      </main>
    </div>
    <p class="visually-hidden" role="status">${state.status}</p>
    <p class="notice" role="status">${state.notice}</p>
  </div>`;
}

/** Ctrl or Cmd with Enter runs, Escape cancels, wherever the focus is. */
function useKeys(app: App): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { catalog, run } = app.store.get();
      if (catalog === undefined || event.defaultPrevented) return;
      const isRun = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
      if (isRun) {
        event.preventDefault();
        event.stopPropagation();
        void app.run();
      } else if (event.key === 'Escape' && run.kind === 'running') app.cancel();
    };
    // Before the editor sees it, which would insert a line.
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [app]);
}

function Header({ app, state }: PageProps): VNode {
  const isUtc = state.zone === 'utc';
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const share = () => app.copy(app.link(), 'The link is in the clipboard. It has no token.');
  return html`<header class="top">
    <a class="skip" href="#main" onClick=${skip}>Skip to the query</a>
    <strong class="brand">log-endpoints</strong>
    <span class="space"></span>
    <button type="button" aria-pressed=${isUtc} onClick=${app.toggleZone}
      title="Show times in UTC or in ${zone}">${isUtc ? 'UTC' : `Local time`}</button>
    <button type="button" onClick=${share}>Copy link</button>
    <button type="button" aria-pressed=${state.keepsToken} onClick=${app.toggleKeep}
      title="Keep the token until this tab is closed, also when the page is loaded again">Stay signed in</button>
    <button type="button" onClick=${app.disconnect}>Sign out</button>
  </header>`;
}

// The fragment is the page's state, so the link must not change it.
function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main button, #main input, #main select')?.focus();
}

function EndpointView({ app, state, endpoint }: EndpointProps): VNode {
  const [isLive, setLive] = useState(false);
  const canTail = state.catalog?.canTail === true && endpoint.tables.length > 0;
  useEffect(() => {
    document.title = `${endpoint.name} · log-endpoints`;
  }, []);
  // Its rows would be hidden by those of the tail.
  useEffect(() => {
    if (state.run.kind === 'running') setLive(false);
  }, [state.run.kind]);
  const live = { isLive, toggle: () => setLive(!isLive), isOffered: canTail };
  return html`<section class="endpoint" aria-labelledby="endpoint-name">
    <div class="endpoint-head">
      <h1 id="endpoint-name">${endpoint.name}</h1>
      <ul class="settings" aria-label="Settings">
        ${settingsOf(endpoint).map((text) => html`<li>${text}</li>`)}
      </ul>
    </div>
    <${ParameterForm} ...${{ app, state, endpoint }} />
    <${QueryPanel} ...${{ app, state, endpoint, live }} />
    ${isLive ? html`<${TailView} ...${{ app, state, endpoint }} close=${() => setLive(false)} />` : html`<${Results} ...${{ app, state, endpoint }} />`}
  </section>`;
}

function settingsOf({ maxRows, cacheSeconds, redactPii, sandbox }: Endpoint): readonly string[] {
  return [
    `up to ${maxRows.toLocaleString('en')} rows`,
    cacheSeconds === 0 ? 'not cached' : `cached for ${cacheSeconds} s`,
    ...(redactPii ? ['personal data redacted'] : []),
    sandbox ? 'takes your queries' : 'stored query only',
  ];
}
