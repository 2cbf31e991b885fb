import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { EndpointProps, PageProps } from '../app/app.js';
import { widerTime } from '../app/app-state.js';
import { html } from '../app/html.js';
import { timeSteps } from '../model/chart.js';
import type { Bar, Counts, Histogram } from '../model/histogram.js';
import { shownLevels } from '../model/levels.js';
import { pageMatches } from '../model/matches.js';
import { instantOfRow } from '../model/record-key.js';
import { printMicros, type Zone, zoneMillis } from '../model/time.js';
import { keyHandler } from './key-handler.js';

/** Shows the histogram, or reserves its space while it is pending, so that the rows do not move later. */
export function HistogramPart({ app, state, endpoint }: EndpointProps): VNode | null {
  const { run, counted, histogram } = state;
  if (histogram) return html`<${HistogramView} ...${{ app, state, histogram }} />`;
  if (!run.rows || counted || !pageMatches(run.rows.asked, endpoint)) return null;
  return html`<div class="histogram" aria-hidden="true"><div class="histogram-head"></div><div class="plot"></div><div class="axis"></div></div>`;
}

interface Props extends PageProps {
  readonly histogram: Histogram;
}

/** Errors come first, at the base, so that they can be compared. */
const stacked = ['error', 'warn', 'info', 'other', 'debug'] as const;

/** Shows all matches over time, by level. A drag, or Shift with the arrows, marks a range; Enter requests it. */
function HistogramView({ app, state, histogram }: Props): VNode {
  const { bars, stepMs, total, totals } = histogram;
  const { zone } = state;
  const plot = useRef<HTMLDivElement>(null);
  const [marked, setMarked] = useState<readonly [from: number, to: number]>();
  useEffect(() => setMarked(undefined), [histogram]);
  const highest = Math.max(1, ...bars.map(({ counts }) => totalCount(counts)));
  const first = Math.min(...(marked ?? []));
  const span = marked && bars.slice(first, Math.max(...marked) + 1);
  const zoom = () => {
    setMarked(undefined);
    const startMs = span?.[0]?.atMs;
    if (span && startMs !== undefined) app.zoomTo(startMs, startMs + span.length * stepMs);
  };
  const barAt = ({ clientX }: MouseEvent) => {
    const box = plot.current?.getBoundingClientRect();
    const share = box ? (clientX - box.left) / box.width : 0;
    return Math.max(0, Math.min(bars.length - 1, Math.floor(share * bars.length)));
  };
  const start = (event: PointerEvent) => {
    if (event.button !== 0) return;
    plot.current?.setPointerCapture(event.pointerId);
    const at = barAt(event);
    setMarked([at, at]);
  };
  const drag = (event: PointerEvent) => {
    if (event.buttons === 1 && marked) setMarked([marked[0], barAt(event)]);
  };
  const step = (by: number) => (event: KeyboardEvent) => {
    const at = Math.max(0, Math.min(bars.length - 1, (marked?.[1] ?? bars.length) + by));
    setMarked([event.shiftKey && marked ? marked[0] : at, at]);
  };
  const onKey = keyHandler({
    ArrowLeft: step(-1),
    ArrowRight: step(1),
    Enter: zoom,
    Backspace: app.zoomOut,
    Escape: () => setMarked(undefined),
  });
  const pointed = span && spanText(span, histogram, zone);
  const isOld = state.counted !== state.run.rows?.asked;
  return html`<section class="histogram ${isOld ? 'old' : ''}" aria-label="Matches over time">
    <div class="histogram-head">
      <p><strong>${total.toLocaleString('en')}</strong> ${total === 1 ? 'match' : 'matches'}<span class="only-wide">, one bar ${printStep(stepMs)}</span></p>
      ${shownLevels.map((name) => totals[name] > 0 && html`<button type="button" class="legend ${name}" key=${name} title="Only ${name}; with Alt, all but ${name}" onClick=${({ altKey }: MouseEvent) => app.filterOnLevel(name, altKey)}>${name} ${totals[name].toLocaleString('en')}</button>`)}
      <span class="grow"></span>
      <span class="pointed" aria-live="polite">${pointed}</span>
      ${widerTime(state) && html`<button type="button" class="b s" onClick=${app.zoomOut}>Zoom out</button>`}
    </div>
    <div class="plot" ref=${plot} tabindex="0" role="slider" aria-label="Bars of the histogram" aria-orientation="horizontal"
      aria-valuemin="1" aria-valuemax=${bars.length} aria-valuenow=${(marked?.[1] ?? bars.length - 1) + 1} aria-valuetext=${pointed || `${total} matches`}
      onPointerDown=${start} onPointerMove=${drag} onPointerUp=${zoom} onPointerCancel=${() => setMarked(undefined)} onKeyDown=${onKey}>
      <span class="most">${highest.toLocaleString('en')}</span>
      <svg viewBox="0 0 ${bars.length} ${highest}" preserveAspectRatio="none" aria-hidden="true">
        ${bars.map((bar, index) => barShape(bar, index, highest))}
        ${span && html`<rect class="marked" x=${first} y="0" width=${span.length} height=${highest} />`}
      </svg>
    </div>
    <${Axis} ...${{ state, histogram }} />
  </section>`;
}

function totalCount(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Stacks the records of a step by level. */
function barShape({ counts }: Bar, index: number, highest: number): VNode {
  let top = highest;
  const parts = stacked.map((name) => {
    if (counts[name] === 0) return null;
    // A single error among thousands of records must be visible.
    const height = Math.max(counts[name], highest / 40);
    top -= height;
    return html`<rect key=${name} class=${name} x=${index + 0.06} y=${top} width="0.88" height=${height} />`;
  });
  return html`<g key=${index}>${parts}</g>`;
}

function spanText(shown: readonly Bar[], histogram: Histogram, zone: Zone): string {
  const count = shown.reduce((sum, { counts }) => sum + totalCount(counts), 0);
  const errors = shown.reduce((sum, { counts }) => sum + counts.error, 0);
  const print = (ms = 0) => printTime(ms, histogram, zone);
  const end = (shown.at(-1)?.atMs ?? 0) + histogram.stepMs;
  return `${print(shown[0]?.atMs)} to ${print(end)}: ${count.toLocaleString('en')}${errors > 0 ? `, ${errors.toLocaleString('en')} ${errors === 1 ? 'error' : 'errors'}` : ''}`;
}

const units = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1000 };

/** `a minute`, `each 5 minutes`. */
function printStep(stepMs: number): string {
  const isWhole = ([, ms]: readonly [string, number]) => stepMs % ms === 0;
  const [unit, ms] = Object.entries(units).find(isWhole) ?? ['millisecond', 1];
  return stepMs === ms ? `each ${unit}` : `each ${stepMs / ms} ${unit}s`;
}

const maxLabels = 8;

/** Shows round times below the bars, and a line below the bars that the rows cover. */
function Axis({ state, histogram }: Pick<Props, 'state' | 'histogram'>): VNode {
  const { bars, stepMs } = histogram;
  const length = bars.length * stepMs;
  const startMs = bars[0]?.atMs ?? 0;
  const least = length / 1000 / maxLabels;
  const everyMs = 1000 * (timeSteps.find((seconds) => seconds >= least) ?? least);
  const firstMs = startMs + ((everyMs - (zoneMillis(startMs, state.zone) % everyMs)) % everyMs);
  const count = Math.max(0, Math.ceil((startMs + length * 0.9 - firstMs) / everyMs));
  const marks = Array.from({ length: count }, (_, index) => firstMs + index * everyMs);
  const cover = findCover(state, histogram);
  const share = (ms: number) => `${(ms / length) * 100}%`;
  return html`<div class="axis" aria-hidden="true">
    ${marks.map((ms) => html`<span key=${ms} style=${{ left: share(ms - startMs) }}>${printTime(ms, histogram, state.zone)}</span>`)}
    ${cover && html`<i class="cover" style=${{ left: share(cover.fromMs - startMs), width: share(cover.toMs - cover.fromMs) }}></i>`}
  </div>`;
}

/** Prints the time of a bar, with its day if the bars span several days. */
function printTime(ms: number, { bars, stepMs }: Histogram, zone: Zone): string {
  const text = printMicros(Math.round(ms * 1000), zone);
  const isLong = bars.length * stepMs > 86_400_000;
  return isLong ? text.slice(5, 16) : text.slice(11, stepMs < 60_000 ? 19 : 16);
}

/** Returns the range of the rows, if they are not all matches. */
function findCover({ run, counted }: Props['state'], { total, toMs }: Histogram) {
  const rows = (run.rows?.asked === counted && run.rows?.result.rows) || [];
  const [newest, oldest] = [instantOfRow(rows[0]), instantOfRow(rows.at(-1))];
  if (rows.length >= total || newest === undefined || oldest === undefined) return undefined;
  return { fromMs: Number(oldest) / 1000, toMs: Math.min(toMs, Number(newest) / 1000) };
}
