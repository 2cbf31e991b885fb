import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { App, PageProps } from '../app/app.js';
import { endpointOf, nowOf } from '../app/app-state.js';
import { html } from '../app/html.js';
import { timeSteps } from '../model/chart.js';
import type { Bar, Counts, Histogram } from '../model/histogram.js';
import { printMicros, stretchOf, type Zone } from '../model/time.js';

interface Props extends PageProps {
  readonly histogram: Histogram;
}

/** Errors come first, at the base, so that they can be compared. */
const stacked = ['error', 'warn', 'info', 'other', 'debug'] as const;
const legend = ['error', 'warn', 'info', 'debug'] as const;

/** A range of bars, from the first to the last. */
interface Marked {
  readonly from: number;
  readonly to: number;
}

/** Shows all matches over time, by level. A drag, or Shift with the arrows, marks a range; Enter requests it. */
export function HistogramView({ app, state, histogram }: Props): VNode {
  const { bars, stepMs, total, totals } = histogram;
  const { zone } = state;
  const plot = useRef<HTMLDivElement>(null);
  const [marked, setMarked] = useState<Marked | undefined>();
  useEffect(() => setMarked(undefined), [histogram]);
  const highest = Math.max(1, ...bars.map(({ counts }) => sumOf(counts)));
  const zoom = ({ from, to }: Marked) => {
    setMarked(undefined);
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    const startMs = bars[first]?.atMs ?? 0;
    app.zoomTo(startMs, startMs + (last - first + 1) * stepMs);
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
    setMarked({ from: at, to: at });
  };
  const drag = (event: PointerEvent) => {
    if (event.buttons === 1 && marked) setMarked({ ...marked, to: barAt(event) });
  };
  const step = (by: number, isMarking: boolean) => {
    const at = Math.max(0, Math.min(bars.length - 1, (marked?.to ?? bars.length) + by));
    setMarked({ from: isMarking && marked ? marked.from : at, to: at });
  };
  const onKey = (event: KeyboardEvent) => {
    const acts: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => step(-1, event.shiftKey),
      ArrowRight: () => step(1, event.shiftKey),
      Enter: () => marked && zoom(marked),
      Backspace: () => zoomOut(app, histogram),
      Escape: () => setMarked(undefined),
    };
    const act = acts[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  const pointed = marked && markedText(bars, marked, histogram, zone);
  const isOld = state.counted !== state.run.rows?.asked;
  return html`<section class="histogram ${isOld ? 'old' : ''}" aria-label="Matches over time">
    <div class="histogram-head">
      <p><strong>${total.toLocaleString('en')}</strong> ${total === 1 ? 'match' : 'matches'}<span class="only-wide">, one bar ${printStep(stepMs)}</span></p>
      ${legend.map((name) => totals[name] > 0 && html`<span class="legend ${name}" key=${name}>${name} ${totals[name].toLocaleString('en')}</span>`)}
      <span class="grow"></span>
      <span class="pointed" aria-live="polite">${pointed}</span>
      <button type="button" class="b s" onClick=${() => zoomOut(app, histogram)}>Zoom out</button>
    </div>
    <div class="plot" ref=${plot} tabindex="0" role="slider" aria-label="Bars of the histogram" aria-orientation="horizontal"
      aria-valuemin="1" aria-valuemax=${bars.length} aria-valuenow=${(marked?.to ?? bars.length - 1) + 1} aria-valuetext=${pointed || `${total} matches`}
      onPointerDown=${start} onPointerMove=${drag} onPointerUp=${() => marked && zoom(marked)} onPointerCancel=${() => setMarked(undefined)} onKeyDown=${onKey}>
      <span class="most">${highest.toLocaleString('en')}</span>
      <svg viewBox="0 0 ${bars.length} ${highest}" preserveAspectRatio="none" aria-hidden="true">
        ${bars.map((bar, index) => html`<${Column} key=${index} ...${{ bar, index, highest }} />`)}
        ${marked && html`<rect class="marked" x=${Math.min(marked.from, marked.to)} y="0" width=${Math.abs(marked.to - marked.from) + 1} height=${highest} />`}
      </svg>
    </div>
    <${Axis} ...${{ state, histogram }} />
  </section>`;
}

/** The times that the server accepts: the years 1 to 9999. */
const times = {
  least: Date.parse('0001-01-01T00:00:00Z'),
  most: Date.parse('9999-12-31T23:59:59Z'),
};

/** Requests three times the page's range, or three times the range of the bars if the page has none. */
function zoomOut(app: App, histogram: Histogram): void {
  const state = app.store.get();
  const asked = stretchOf(state.page, endpointOf(state)?.parameters ?? [], nowOf(state));
  const { fromMs = histogram.fromMs, toMs = histogram.toMs } = asked;
  const more = Math.max(toMs - fromMs, 1000);
  app.zoomTo(Math.max(times.least, fromMs - more), Math.min(times.most, toMs + more));
}

function sumOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function Column({
  bar,
  index,
  highest,
}: {
  readonly bar: Bar;
  readonly index: number;
  readonly highest: number;
}): VNode {
  let top = highest;
  const parts = stacked.flatMap((name) => {
    const count = bar.counts[name];
    if (count === 0) return [];
    // A single error among thousands of records must be visible.
    const height = Math.max(count, highest / 40);
    top -= height;
    return [
      html`<rect key=${name} class=${name} x=${index + 0.06} y=${top} width="0.88" height=${height} />`,
    ];
  });
  return html`<g>${parts}</g>`;
}

function markedText(
  bars: readonly Bar[],
  { from, to }: Marked,
  histogram: Histogram,
  zone: Zone,
): string {
  const shown = bars.slice(Math.min(from, to), Math.max(from, to) + 1);
  const count = shown.reduce((sum, { counts }) => sum + sumOf(counts), 0);
  const errors = shown.reduce((sum, { counts }) => sum + counts.error, 0);
  const print = (ms = 0) => printTime(ms, histogram, zone);
  const end = (shown.at(-1)?.atMs ?? 0) + histogram.stepMs;
  return `${print(shown[0]?.atMs)} to ${print(end)}: ${count.toLocaleString('en')}${errors > 0 ? `, ${errors.toLocaleString('en')} errors` : ''}`;
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
  ['millisecond', 1],
] as const;

/** `a minute`, `each 5 minutes`. */
function printStep(stepMs: number): string {
  const [unit, ms] = units.find(([, length]) => stepMs >= length && stepMs % length === 0) ?? [
    'millisecond',
    1,
  ];
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
  const firstMs = startMs + ((everyMs - (shiftOf(startMs, state.zone) % everyMs)) % everyMs);
  const count = Math.max(0, Math.ceil((startMs + length * 0.96 - firstMs) / everyMs));
  const marks = Array.from({ length: count }, (_, index) => firstMs + index * everyMs);
  const cover = findCover(state, histogram);
  const share = (ms: number) => `${((ms - startMs) / length) * 100}%`;
  return html`<div class="axis" aria-hidden="true">
    ${marks.map((ms) => html`<span key=${ms} style=${{ left: share(ms) }}>${printTime(ms, histogram, state.zone)}</span>`)}
    ${cover && html`<i class="cover" style=${{ left: share(cover.fromMs), width: `${((cover.toMs - cover.fromMs) / length) * 100}%` }}></i>`}
  </div>`;
}

/** Returns the local time in a zone, in milliseconds. */
function shiftOf(ms: number, zone: Zone): number {
  return zone === 'utc' ? ms : ms - new Date(ms).getTimezoneOffset() * 60_000;
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
  const [newest, oldest] = [rows[0]?.['timestamp'], rows.at(-1)?.['timestamp']];
  if (rows.length >= total || newest == null || oldest == null) return undefined;
  return { fromMs: Number(oldest) / 1000, toMs: Math.min(toMs, Number(newest) / 1000) };
}
