import type { VNode } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { App, EndpointProps } from '../app/app.js';
import { followedPage, shownEndpoint } from '../app/app-state.js';
import { html } from '../app/html.js';
import { useStore } from '../app/store.js';
import { hasRecords } from '../model/first-page.js';
import { liveQuery } from '../model/live-query.js';
import { Faults } from './faults.js';
import { ParameterForm } from './form.js';
import { QueryRow } from './query-row.js';
import { Results } from './results.js';
import { Sidebar } from './sidebar.js';
import { SignIn } from './sign-in.js';
import { StoredLine } from './stored-line.js';
import { TailView } from './tail.js';
import { TopBar } from './top-bar.js';

/** The whole page. */
export function Page({ app }: { readonly app: App }): VNode {
  const state = useStore(app.store);
  useKeys(app);
  const endpoint = shownEndpoint(state);
  if (state.catalog === undefined) {
    return state.isConnecting
      ? html`<main class="sign-in"><p role="status">Connecting…</p></main>`
      : html`<${SignIn} ...${{ app, state }} />`;
  }
  const hasSources = endpoint !== undefined && hasRecords(endpoint);
  return html`<div class="page ${hasSources ? '' : 'without-side'}">
    <${TopBar} ...${{ app, state }} />
    ${hasSources && html`<${Sidebar} ...${{ app, state, endpoint }} />`}
    <main id="main" class="main">
      ${endpoint ? html`<${EndpointView} key=${endpoint.name} ...${{ app, state, endpoint }} />` : html`<p class="hint">This token has no endpoints.</p>`}
    </main>
    <p class="visually-hidden" role="status">${state.status}</p>
    <p class="notice" role="status">${state.notice}</p>
  </div>`;
}

/**
 * Handles keys wherever the focus is: Ctrl or Cmd with Enter runs, Escape cancels, `/` focuses the query, and Space
 * pauses Live.
 */
function useKeys(app: App): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (app.store.get().catalog === undefined || event.defaultPrevented) return;
      const act = findAction(event, app);
      if (act === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    };
    // Runs before the editor, which would insert a line.
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [app]);
}

function findAction(event: KeyboardEvent, app: App): (() => void) | undefined {
  const { key, ctrlKey, metaKey } = event;
  if (key === 'Enter' && (ctrlKey || metaKey)) return () => void app.run();
  if (key === 'Escape' && app.store.get().run.kind === 'running') return app.runner.cancel;
  if (key === '?' && !isTyping(event)) return () => app.store.update({ showsKeys: true });
  const pause = document.querySelector<HTMLElement>('.tail .pause');
  if (key === ' ' && pause && isOnRows(event)) return () => pause.click();
  return key === '/' && !isTyping(event) ? focusQuery : undefined;
}

function isOnRows({ target }: Event): boolean {
  return target instanceof HTMLElement && (target === document.body || target.role === 'grid');
}

function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  const fields = 'input, textarea, select, [contenteditable]';
  return target instanceof HTMLElement && target.matches(fields);
}

function focusQuery(): void {
  document.querySelector('.editor')?.shadowRoot?.querySelector<HTMLElement>('.cm-content')?.focus();
}

function EndpointView({ app, state, endpoint }: EndpointProps): VNode {
  useEffect(() => {
    document.title = `${endpoint.name} · log-endpoints`;
  }, []);
  const followed = followedPage(state);
  const live = useMemo(() => followed && liveQuery(followed, endpoint), [followed, endpoint]);
  const tail = live && !('reason' in live) && { app, state, endpoint, ...live };
  return html`<h1 class="visually-hidden">${endpoint.name}</h1>
    <${ParameterForm} ...${{ app, state, endpoint }} />
    <${QueryRow} ...${{ app, state, endpoint }} />
    <${StoredLine} ...${{ app, state, endpoint }} />
    <${Faults} ...${{ app, state }} />
    ${tail ? html`<${TailView} key=${followed} ...${tail} />` : html`<${Results} ...${{ app, state, endpoint }} />`}`;
}
