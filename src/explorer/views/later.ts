import { type ComponentChildren, type FunctionComponent, h, type VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { html } from '../app/html.js';

// The editor and the charts are most of the page's code. They would delay the first rows, and so they come after these.
let release: () => void;
const released = new Promise<void>((resolve) => {
  release = resolve;
});
const loadEditor = () =>
  released.then(() => import('../editor/query-editor.js')).then((module) => module.QueryEditor);
const loadChart = () =>
  released.then(() => import('./chart.js')).then((module) => module.ChartView);

/** A slow first query does not keep the user from editing. */
const longestWaitMs = 1000;

/** The editor; shows its text until it is loaded. */
export const LaterEditor = later(
  loadEditor,
  ({ text }) => html`<pre class="editor loading">${text}</pre>`,
);

/** A chart; reserves its space until it is loaded. */
export const LaterChart = later(loadChart, ({ height }) => {
  return html`<div class="chart" style=${{ height: `${height}px` }}></div>`;
});

/** Loads the parts once the first rows are painted, before they are needed. */
export async function loadAfter(firstRows: Promise<void>): Promise<void> {
  const wait = new Promise((resolve) => setTimeout(resolve, longestWaitMs));
  await Promise.race([firstRows, wait]).catch(() => undefined);
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  release();
  await Promise.all([loadEditor(), loadChart()]).catch(() => undefined);
}

/** Creates a component that is loaded when first shown. */
function later<P extends object>(
  load: () => Promise<(props: P) => VNode>,
  placeholder: (props: P) => ComponentChildren,
): FunctionComponent<P> {
  let loaded: FunctionComponent<P> | undefined;
  return (props) => {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading');
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (component) => {
          loaded = component;
          setState('loaded');
        },
        () => setState('failed'),
      );
    }, []);
    if (loaded !== undefined) return h(loaded, props);
    const fault = html`<p class="fault">A part of the page could not be loaded. Reload the page.</p>`;
    return [placeholder(props), state === 'failed' && fault];
  };
}
