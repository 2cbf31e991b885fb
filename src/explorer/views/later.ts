import { type ComponentChildren, type FunctionComponent, h, type VNode } from 'preact';
import { html } from '../app/html.js';
import { useReading } from './use-reading.js';

// The editor and the charts are most of the page's code, so they are loaded after the first paint.
const loadEditor = () => import('../editor/query-editor.js').then((module) => module.QueryEditor);
const loadChart = () => import('./chart.js').then((module) => module.ChartView);

/** The editor; shows its text until it is loaded. */
export const LaterEditor = later(loadEditor, ({ state, language }) => {
  return html`<pre class="editor loading">${state.page[language]}</pre>`;
});

/** A chart; reserves its space until it is loaded. */
export const LaterChart = later(loadChart, ({ height }) => {
  return html`<div class="chart" style=${{ height: `${height}px` }}></div>`;
});

/** Loads the parts after the first paint, before they are needed. */
export function loadAfterPaint(): void {
  const load = () => Promise.all([loadEditor(), loadChart()]).catch(() => undefined);
  requestAnimationFrame(() => setTimeout(load));
}

/** Creates a component that is loaded when first shown. */
function later<P extends object>(
  load: () => Promise<(props: P) => VNode>,
  placeholder: (props: P) => ComponentChildren,
): FunctionComponent<P> {
  let loaded: FunctionComponent<P> | undefined;
  const loading = async () => {
    loaded ??= await load();
    return loaded;
  };
  return (props) => {
    const { fault } = useReading(loading, []);
    if (loaded !== undefined) return h(loaded, props);
    const note = html`<p class="fault">A part of the page could not be loaded. Reload the page.</p>`;
    return [placeholder(props), fault && note];
  };
}
