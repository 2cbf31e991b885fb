import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { EndpointProps, PageProps } from '../app/app.js';
import { canFollow, isAtRest } from '../app/app-state.js';
import { html } from '../app/html.js';
import { liveQuery } from '../model/live-query.js';
import { type Language, languages } from '../model/page-state.js';
import { findTimeRange } from '../model/time.js';
import { Icon } from './icon.js';
import { keyHandler } from './key-handler.js';
import { LaterEditor } from './later.js';
import { TimePicker } from './time-picker.js';

const titles: Readonly<Record<Language, string>> = { lql: 'LQL', sql: 'SQL', stored: 'Stored' };

/** The query, its time, and the button that runs it. */
export function QueryRow({ app, state, endpoint }: EndpointProps): VNode {
  const { language } = state.page;
  const range = findTimeRange(endpoint.parameters);
  return html`<section class="query in-${language}" aria-label="Query">
    ${endpoint.sandbox && html`<${Tabs} ...${{ app, state }} />`}
    <div id="query-text" class="query-text" role="tabpanel" aria-label="Query" hidden=${language === 'stored'}>
      ${language !== 'stored' && html`<${LaterEditor} ...${{ app, state, endpoint, language }} />`}
    </div>
    <span class="query-end">
      ${range && html`<${TimePicker} ...${{ app, state, range }} />`}
      <${RunButton} ...${{ app, state }} />
      ${(state.page.isLive || canFollow(state, endpoint)) && html`<${LiveButton} ...${{ app, state, endpoint }} />`}
    </span>
  </section>`;
}

/** Starts and stops Live; if it cannot follow the query, says why. */
function LiveButton({ app, state, endpoint }: EndpointProps): VNode {
  const { page } = state;
  const { isLive, language, lql, sql } = page;
  const live = useMemo(() => liveQuery(page, endpoint), [endpoint, language, lql, sql]);
  const reason = 'reason' in live && !isLive ? live.reason : undefined;
  const click = () => (reason === undefined ? app.toggleLive() : app.say(reason));
  return html`<button type="button" class="b line" aria-pressed=${isLive} aria-disabled=${reason !== undefined} title=${reason} onClick=${click}><${Icon} name=${isLive ? 'stop' : 'play'} />${isLive ? 'Stop' : 'Live'}</button>`;
}

function Tabs({ app, state }: PageProps): VNode {
  const chosen = state.page.language;
  const list = useRef<HTMLDivElement>(null);
  const step = (by: number) => () => {
    const index = (languages.indexOf(chosen) + by + languages.length) % languages.length;
    app.show(languages[index] ?? chosen);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[index]?.focus();
  };
  const onKey = keyHandler({ ArrowRight: step(1), ArrowLeft: step(-1) });
  return html`<div class="seg" role="tablist" aria-label="Query language" ref=${list} onKeyDown=${onKey}>
    ${languages.map(
      (language) => html`<button type="button" role="tab" id="tab-${language}" key=${language}
      aria-selected=${language === chosen} aria-controls="query-text" tabindex=${language === chosen ? 0 : -1}
      onClick=${() => app.show(language)}>${titles[language]}</button>`,
    )}
  </div>`;
}

/**
 * The button that runs the query: filled if the rows come from another query, disabled while the query has an error.
 */
function RunButton({ app, state }: PageProps): VNode {
  const { run, faults } = state;
  if (run.kind === 'running') {
    return html`<button type="button" key="cancel" class="b line" onClick=${app.runner.cancel}>Cancel</button>`;
  }
  const isShown = isAtRest(state);
  return html`<button type="button" key="run" class="b ${isShown ? 'line' : 'fill'}" disabled=${faults.length > 0}
    onClick=${() => void app.run()}>${isShown ? 'Run again' : 'Run'}</button>`;
}
