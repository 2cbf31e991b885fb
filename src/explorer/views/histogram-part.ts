import type { VNode } from 'preact';
import type { EndpointProps } from '../app/app.js';
import { html } from '../app/html.js';
import { pageMatches } from '../model/matches.js';
import { HistogramView } from './histogram.js';

/** Shows the histogram, or reserves its space while it is pending, so that the rows do not move later. */
export function HistogramPart({ app, state, endpoint }: EndpointProps): VNode | null {
  const { run, counted, histogram } = state;
  if (histogram) return html`<${HistogramView} ...${{ app, state, histogram }} />`;
  if (!run.rows || counted || !pageMatches(run.rows.asked, endpoint)) return null;
  return html`<div class="histogram" aria-hidden="true"><div class="histogram-head"></div><div class="plot"></div><div class="axis"></div></div>`;
}
