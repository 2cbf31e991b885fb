import type { VNode } from 'preact';
import type { PageProps } from '../app/app.js';
import { isAtRest, shownEndpoint } from '../app/app-state.js';
import { html } from '../app/html.js';
import type { PastQuery } from '../client/keep.js';
import { boundProject, noteOnProjects } from '../model/first-page.js';
import { isTimeWindow, timeWindows } from '../model/page-state.js';
import { printMicros } from '../model/time.js';
import { Icon } from './icon.js';
import { KeysDialog } from './keys.js';
import { Menu, menuItem } from './menu.js';
import { useNarrow } from './use-narrow.js';

/** Shows the endpoint and project, and controls for the whole page. */
export function TopBar({ app, state }: PageProps): VNode {
  const isNarrow = useNarrow();
  const { theme } = state;
  const showKeys = (showsKeys: boolean) => app.store.update({ showsKeys });
  const share = () => app.copy(app.link(), 'The link is in the clipboard. It has no token.');
  const more = html`<${History} ...${{ app, state }} />
    <button type="button" class="b s" title="Keys" aria-label="Keys" onClick=${() => showKeys(true)}>${isNarrow ? 'Keys' : '?'}</button>
    <button type="button" class="b s" title="Theme: ${theme}" aria-label="Theme: ${theme}" onClick=${() => app.choose({ theme: nextThemes[theme] })}><${Icon} name="theme" /></button>
    <button type="button" class="b s" onClick=${() => app.disconnect()}>Sign out</button>`;
  return html`<header class="top">
    <a class="skip" href="#main" onClick=${skip}>Skip to the query</a>
    <strong class="brand">log-endpoints</strong>
    <${EndpointMenu} ...${{ app, state }} />
    <${ProjectMenu} ...${{ app, state }} />
    <span class="grow"></span>
    <button type="button" class="b s ${isAtRest(state) ? 'fill' : 'line'}" onClick=${share}><${Icon} name="link" />Copy link</button>
    ${isNarrow ? html`<${Menu} label=${html`<${Icon} name="more" />`} title="More"><div class="more">${more}</div><//>` : more}
    ${state.showsKeys && html`<${KeysDialog} close=${() => showKeys(false)} />`}
  </header>`;
}

function EndpointMenu({ app, state }: PageProps): VNode {
  const endpoint = shownEndpoint(state)?.name;
  const items = state.catalog?.endpoints.map(({ name }) =>
    menuItem(name, () => app.pickEndpoint(name), { 'aria-current': name === endpoint }),
  );
  return html`<${Menu} label=${html`${endpoint || 'Endpoint'}<${Icon} name="down" />`} title="Endpoint"><ul>${items}</ul><//>`;
}

/**
 * Shows the project, if the endpoint has one: the token's own, the only one, or a choice of those that the token may
 * see.
 */
function ProjectMenu({ app, state }: PageProps): VNode | null {
  const { page, projects = [] } = state;
  const endpoint = shownEndpoint(state);
  if (endpoint?.parameters.some(({ name }) => name === 'project') !== true) return null;
  const project = page.values['project'] ?? '';
  if (boundProject(endpoint) !== undefined) {
    return html`<span class="bound" title="The token may read this project only">/ ${project}</span>`;
  }
  const isOnly = projects.length === 1 && (project === '' || project === projects[0]);
  if (isOnly || (state.projects === undefined && project === '')) return null;
  const pick = (name: string) => {
    const values = { ...page.values, project: name };
    void (state.run.rows === undefined ? app.begin(values) : app.go({ values }));
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const field = (event.target as HTMLFormElement).elements.namedItem('project');
    pick((field as HTMLInputElement).value.trim());
  };
  const items = projects.map((name) =>
    menuItem(name, () => pick(name), { 'aria-current': name === project }),
  );
  const note = noteOnProjects(projects, 'above');
  const label = html`<span class="crumb">/</span>${project || 'Choose a project'}<${Icon} name="down" />`;
  return html`<${Menu} label=${label} title="Project" look="s ${project === '' ? 'wanted' : ''}">
    <form class="pick-project" onSubmit=${submit}>
      <input name="project" aria-label="Project" defaultValue=${project} placeholder="project" spellcheck=${false} autocomplete="off" />
      <ul>${items}</ul>
      ${note && html`<p class="hint">${note}</p>`}
    </form>
  <//>`;
}

const nextThemes = { system: 'light', light: 'dark', dark: 'system' } as const;

function History({ app, state }: PageProps): VNode {
  const known = new Set(state.catalog?.endpoints.map(({ name }) => name));
  const past = state.history.filter(({ endpoint }) => known.has(endpoint));
  const item = ({ endpoint, language, text, at, window = '' }: PastQuery) => html`<li key=${at}>
    <button type="button" class="item" title=${text} onClick=${() => void app.go({ endpoint, language, [language]: text, ...(isTimeWindow(window) && { window }) })}>
      <span class="tag">${language.toUpperCase()}</span><code>${text.replaceAll(/\s+/g, ' ')}</code>
      <span class="grow"></span><span class="hint">${isTimeWindow(window) && `${timeWindows[window].title.toLowerCase()}, `}${printMicros(at * 1000, state.zone).slice(0, 16)}</span>
    </button>
  </li>`;
  return html`<${Menu} label=${html`History<${Icon} name="down" />`} title="Queries that were run">
    <ul class="history">
      ${past.length === 0 && html`<li class="hint">Queries that you run are listed here.</li>`}
      ${past.map(item)}
    </ul>
    ${past.length > 0 && html`<button type="button" class="b s" onClick=${app.forgetHistory}>Clear history</button>`}
  <//>`;
}

// The fragment holds the page's state, so the link must not change it.
function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main button, #main input, #main select')?.focus();
}
